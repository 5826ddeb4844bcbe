package httpserver

import (
	"net/http"
	"sync"
	"time"
)

const (
	// usualGathered is above what a burst of events takes.
	usualGathered = 20 << 10
	// maxGathered is from where on a call of the system costs less than a copy.
	maxGathered = 64 << 10
)

var gathers = sync.Pool{New: func() any {
	buf := make([]byte, 0, usualGathered)
	return &buf
}}

// Gather holds back what is written to the answer of r until Release, or until
// the answer is complete, so that it leaves in one piece: the library's buffer
// is small, and each piece costs a call of the system. It must be called by
// whoever writes, and does nothing on a connection that is not ours.
func Gather(r *http.Request) {
	if c := connOf(r); c != nil && c.gathered == nil {
		c.gathered = gathers.Get().(*[]byte) //nolint:forcetypeassert // nothing else is stored
	}
}

// Release sends what was gathered. What the library has not passed on yet,
// because nobody flushed it, is not part of it.
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

// write is the handler's, held back where that was asked for.
func (c *conn) write(b []byte) (int, error) {
	if c.gathered == nil {
		return c.Conn.Write(b)
	}
	if len(*c.gathered)+len(b) <= maxGathered {
		*c.gathered = append(*c.gathered, b...)
		return len(b), nil
	}
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *conn) release() error {
	buf := c.gathered
	if buf == nil {
		return nil
	}
	c.gathered = nil
	var err error
	if len(*buf) > 0 {
		_, err = c.Conn.Write(*buf)
	}
	*buf = (*buf)[:0]
	gathers.Put(buf)
	return err
}

// SetWriteDeadline lets out what was gathered when the library lifts the
// deadline, which it does as soon as an answer is complete.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		_ = c.release() // the connection's next use fails as well
	}
	return c.Conn.SetWriteDeadline(t)
}
