package httpserver

import (
	"net/http"
	"sync"
	"time"
)

const (
	// usualBuffer holds a typical burst of events.
	usualBuffer = 20 << 10
	// maxBuffer is the size above which a system call is cheaper than a copy.
	maxBuffer = 64 << 10
)

var bufferPool = sync.Pool{New: func() any {
	buf := make([]byte, 0, usualBuffer)
	return &buf
}}

// Gather buffers the response of r until Release is called, the response is complete, or
// the buffer is full. The buffered bytes are sent with one system call; net/http's own
// buffer is small. Call it from the goroutine that writes the response. Outside of Serve it
// does nothing.
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

// write writes the handler's output: into the buffer if there is one, else to the connection.
func (c *conn) write(b []byte) (int, error) {
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

// SetWriteDeadline sends the buffer when net/http clears the deadline. net/http does so when a
// response is complete.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		_ = c.release() // an error occurs again at the next use of the connection
	}
	return c.Conn.SetWriteDeadline(t)
}
