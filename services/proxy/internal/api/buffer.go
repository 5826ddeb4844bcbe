package api

import "sync"

// sizes are those of the memory that is used again. Beyond the last, one giant
// would stay for long.
var sizes = [...]int64{4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}

// buffers have the memory of bodies that are over, by size: a body's is the
// largest part of a request's garbage.
var buffers [len(sizes)]sync.Pool

// roomFor is how much memory a body of so many bytes takes.
func roomFor(size int64) int64 {
	for _, s := range sizes {
		if size <= s {
			return s
		}
	}
	return size
}

// newBuffer returns memory of a size that roomFor has given.
func newBuffer(size int64) *[]byte {
	for i, s := range sizes {
		if s != size {
			continue
		}
		if buf, ok := buffers[i].Get().(*[]byte); ok {
			return buf
		}
	}
	fresh := make([]byte, size)
	return &fresh
}

// freeBuffer gives memory back. Nobody may hold it by then.
func freeBuffer(buf *[]byte) {
	for i, s := range sizes {
		if s == int64(len(*buf)) {
			buffers[i].Put(buf)
		}
	}
}

// room takes memory for a body of so many bytes, moves there what has been
// read of it, and gives back what it had before. It is counted as long as it
// is held, both of them while it moves.
func (e *edge) room(x *exchange, size int64, read int) error {
	size = roomFor(size)
	if err := e.reserve(x, size); err != nil {
		return err
	}
	old := x.buffer
	x.buffer = newBuffer(size)
	if old == nil {
		return nil
	}
	copy(*x.buffer, (*old)[:read])
	x.place.Unreserve(int64(len(*old)))
	freeBuffer(old)
	return nil
}
