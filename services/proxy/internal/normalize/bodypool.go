package normalize

import (
	"slices"
	"sync"
)

// maxPooledBody is the largest body whose memory is reused.
const maxPooledBody = 256 << 10

// bodyPool holds the bodies of responses. Without the pool they would be most of the garbage of the
// requests: one vector has about 30 KB.
var bodyPool sync.Pool

func newPooledBody(size int) []byte {
	if b, ok := bodyPool.Get().(*[]byte); ok {
		return slices.Grow((*b)[:0], size)
	}
	return make([]byte, 0, size)
}

// Release ends the use of the body. Its memory is reused.
func (r *Response) Release() {
	if r.isPooled && cap(r.Body) <= maxPooledBody {
		body := r.Body
		bodyPool.Put(&body)
	}
	r.Body, r.isPooled = nil, false
}

// SetBody replaces the body. The memory of the old one is not reused, because the new one may
// share it.
func (r *Response) SetBody(body []byte) { r.Body, r.isPooled = body, false }
