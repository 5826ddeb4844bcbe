package httpserver

import (
	"net/http"
	"sync"
	"time"
)

const (
	// usualBuffer is large enough for a typical burst of stream events.
	usualBuffer = 20 << 10
	// maxBuffer limits the buffer. Above this size, copying costs more than a system call.
	maxBuffer = 64 << 10
)

var bufferPool = sync.Pool{New: func() any {
	buf := make([]byte, 0, usualBuffer)
	return &buf
}}

// Gather buffers the response of r until Release is called, the response is complete, or the
// buffer is full. It saves system calls, because net/http's own buffer is small. Call Gather
// from the goroutine that writes the response. If Serve does not serve r, Gather does nothing.
func Gather(r *http.Request) {
	if c := connOf(r); c != nil && c.buffered == nil {
		c.buffered = bufferPool.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	}
}

// Release sends the bytes that Gather buffered. It does not flush net/http's own buffer.
func Release(r *http.Request) error {
	if c := connOf(r); c != nil {
		return c.release()
	}
	return nil
}

func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

func (c *conn) writeBuffered(b []byte) (int, error) {
	if c.buffered == nil {
		return c.Conn.Write(b)
	}
	if len(*c.buffered)+len(b) <= maxBuffer {
		*c.buffered = append(*c.buffered, b...)
		return len(b), nil
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *conn) release() error {
	buf := c.buffered
	if buf == nil {
		return nil
	}
	c.buffered = nil
	var err error
	if len(*buf) > 0 {
		_, err = c.Conn.Write(*buf)
	}
	*buf = (*buf)[:0]
	bufferPool.Put(buf)
	return err
}

// SetWriteDeadline also sends the buffered bytes if t is zero. net/http clears the write deadline
// when a response is complete.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		_ = c.release() // the next use of the connection returns the same error
	}
	return c.Conn.SetWriteDeadline(t)
}
