package upstream

import (
	"bytes"
	"sync"
)

// maxPooledBody is the largest body whose memory is reused.
const maxPooledBody = 256 << 10

// bodyPool holds the buffers of bodies that their callers have released.
var bodyPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func takeBuffer() *bytes.Buffer {
	return bodyPool.Get().(*bytes.Buffer) //nolint:forcetypeassert // nothing else is stored
}

func releaseBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxPooledBody {
		b.Reset()
		bodyPool.Put(b)
	}
}
