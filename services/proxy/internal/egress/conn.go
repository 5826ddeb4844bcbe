package egress

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"
)

// readBuffer is large enough for a usual response or a short stream.
const readBuffer = 16 << 10

// readers pools the read buffers, because most connections are idle and need no buffer.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}

// errHeaderTooLong means that the header of a response exceeds maxHeader.
var errHeaderTooLong = errors.New("the response header is too long")

// past is a deadline that has already expired.
var past = time.Unix(1, 0)

// conn is one connection. One call at a time uses it.
type conn struct {
	net.Conn
	key  string
	pool *pool
	// isReusable reports whether an idle connection is still usable.
	isReusable func() bool
	// abort makes the reads and writes of the current call fail.
	abort func()
	// r is nil while the connection is idle.
	r   *bufio.Reader
	out []byte
	// readErr is the error that ended reading. Later reads return it again, because the
	// operating system reports it only once.
	readErr error
	// sentAny means that a byte of the current call was sent.
	sentAny bool
	// receivedAny means that a byte of the response has arrived.
	receivedAny bool
	// headLeft is how many bytes of a head may still be read, or -1 for no limit.
	headLeft  int
	idleSince time.Time
}

func newConn(raw net.Conn, key string, p *pool) *conn {
	c := &conn{Conn: raw, key: key, pool: p, isReusable: reusableCheck(raw)}
	c.abort = func() { _ = c.SetDeadline(past) }
	return c
}

// startCall prepares an idle connection for a call.
func (c *conn) startCall() {
	c.sentAny, c.receivedAny, c.readErr = false, false, nil
	c.r = readers.Get().(*bufio.Reader) //nolint:forcetypeassert // the pool holds only *bufio.Reader
	c.r.Reset(reader{c})
}

// releaseReader puts the read buffer back into its pool, because the connection becomes idle.
func (c *conn) releaseReader() {
	c.r.Reset(nil)
	readers.Put(c.r)
	c.r = nil
}

// reader reads from a connection and limits the size of a head.
type reader struct{ c *conn }

func (r reader) Read(p []byte) (int, error) {
	c := r.c
	if c.readErr != nil {
		return 0, c.readErr
	}
	if c.headLeft == 0 {
		return 0, errHeaderTooLong
	}
	if c.headLeft > 0 && len(p) > c.headLeft {
		p = p[:c.headLeft]
	}
	n, err := c.Read(p)
	c.readErr = err
	if c.headLeft > 0 {
		c.headLeft -= n
	}
	if n > 0 {
		c.receivedAny = true
	}
	return n, err
}
