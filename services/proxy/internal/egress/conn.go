package egress

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"
)

// readBuffer holds a usual answer, and all of a short stream.
const readBuffer = 16 << 10

// readers have the buffers of connections that wait for a call, which most do.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}

// errHeaderTooLong is an answer whose head never ends.
var errHeaderTooLong = errors.New("the answer's header is too long")

// past is a deadline that has gone by.
var past = time.Unix(1, 0)

// conn is one connection. It is used by one call at a time.
type conn struct {
	net.Conn
	key  string
	pool *pool
	// quiet tells of a waiting connection whether it is still good, and abort
	// ends a call; both are made once for all calls.
	quiet func() bool
	abort func()
	// r is nil between two calls.
	r   *bufio.Reader
	out []byte
	// failed is what ended reading. It is said again to whoever reads on: the
	// system says it once.
	failed error
	// written is whether a byte of the present call went out, heard whether
	// one of its answer came in.
	written, heard bool
	// room is what may still be read of a head; -1 for no bound.
	room  int
	since time.Time
}

func newConn(raw net.Conn, key string, p *pool) *conn {
	c := &conn{Conn: raw, key: key, pool: p, quiet: quiet(raw)}
	c.abort = func() { _ = c.SetDeadline(past) }
	return c
}

// begin makes the connection ready for a call, rest for a time without one.
func (c *conn) begin() {
	c.written, c.heard, c.failed = false, false, nil
	c.r = readers.Get().(*bufio.Reader) //nolint:forcetypeassert // nothing else is stored
	c.r.Reset(reader{c})
}

func (c *conn) rest() {
	c.r.Reset(nil)
	readers.Put(c.r)
	c.r = nil
}

// reader bounds what is read of a head.
type reader struct{ c *conn }

func (r reader) Read(p []byte) (int, error) {
	c := r.c
	if c.failed != nil {
		return 0, c.failed
	}
	if c.room == 0 {
		return 0, errHeaderTooLong
	}
	if c.room > 0 && len(p) > c.room {
		p = p[:c.room]
	}
	n, err := c.Read(p)
	c.failed = err
	if c.room > 0 {
		c.room -= n
	}
	if n > 0 {
		c.heard = true
	}
	return n, err
}
