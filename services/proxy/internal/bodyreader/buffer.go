package bodyreader

import (
	"sync"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
)

// bufferSizes are the sizes of pooled buffers. Larger buffers are not pooled, because they
// would occupy memory for a long time.
// The largest one has room for a body of 1 MiB and the extra byte of readAll.
var bufferSizes = [...]int64{4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1<<20 + 4<<10}

// bufferPools holds the buffers of finished requests, by size. Without pooling, bodies
// would be the largest part of a request's garbage.
var bufferPools [len(bufferSizes)]sync.Pool

// bufferSizeFor returns the size of the buffer for a body of the given size.
func bufferSizeFor(size int64) int64 {
	for _, s := range bufferSizes {
		if size <= s {
			return s
		}
	}
	return size
}

// newBuffer returns a buffer of a size that bufferSizeFor returned.
func newBuffer(size int64) *[]byte {
	for i, s := range bufferSizes {
		if s != size {
			continue
		}
		if buf, ok := bufferPools[i].Get().(*[]byte); ok {
			return buf
		}
	}
	fresh := make([]byte, size)
	return &fresh
}

// freeBuffer puts a buffer back into the pool for its size, if there is one. The buffer must
// no longer be in use.
func freeBuffer(buf *[]byte) {
	for i, s := range bufferSizes {
		if s == int64(len(*buf)) {
			bufferPools[i].Put(buf)
		}
	}
}

// Buffer holds the body of one request. The zero value is empty.
type Buffer struct{ bytes *[]byte }

// grow makes the buffer have at least size bytes. If there are old bytes, it copies those read so
// far. Until the copy is done, both count against the gate's memory limit.
func (b *Buffer) grow(slot *gate.Slot, size int64, read int) error {
	size = bufferSizeFor(size)
	// Reserve before the memory is allocated.
	if slot.ReserveBytes(size) != nil {
		return ErrNoMemory
	}
	old := b.bytes
	b.bytes = newBuffer(size)
	if old == nil {
		return nil
	}
	copy(*b.bytes, (*old)[:read])
	slot.ReleaseBytes(int64(len(*old)))
	freeBuffer(old)
	return nil
}

// Free lets another request use the memory. The body must no longer be in use. The release of the
// slot gives the reservation back.
func (b *Buffer) Free() {
	if b.bytes != nil {
		freeBuffer(b.bytes)
		b.bytes = nil
	}
}
