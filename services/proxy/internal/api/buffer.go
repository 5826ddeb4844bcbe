package api

import "sync"

// keptBuffer is the longest body whose memory is used again: beyond it, one
// giant would stay for long.
const keptBuffer = 1<<20 + 1

// buffers have the memory of bodies that are over. A body's is the largest
// part of a request's garbage.
var buffers sync.Pool

// buffer returns memory for size bytes of the request's body, valid until the
// request is over. Earlier memory of the same request stays valid too.
func (x *exchange) buffer(size int64) []byte {
	if size > keptBuffer {
		return make([]byte, 0, size)
	}
	buf, _ := buffers.Get().(*[]byte)
	if buf == nil || int64(cap(*buf)) < size {
		fresh := make([]byte, 0, size)
		buf = &fresh
	}
	x.buffers = append(x.buffers, buf)
	return (*buf)[:0:size]
}

// release gives the memory of the body back. Nobody may hold the body by then:
// the record has been written, and adapters have let go of it.
func (x *exchange) release() {
	for _, buf := range x.buffers {
		buffers.Put(buf)
	}
	x.buffers = nil
}
