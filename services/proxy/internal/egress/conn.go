package egress

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
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
	// r is nil between two calls.
	r   *bufio.Reader
	out []byte
	// written is whether a byte of the present call went out, heard whether
	// one of its answer came in.
	written, heard bool
	// room is what may still be read of a head; -1 for no bound.
	room  int
	since time.Time
}

func newConn(raw net.Conn, key string, p *pool) *conn {
	return &conn{Conn: raw, key: key, pool: p}
}

// begin makes the connection ready for a call, rest for a time without one.
func (c *conn) begin() {
	c.written, c.heard = false, false
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
	if c.room == 0 {
		return 0, errHeaderTooLong
	}
	if c.room > 0 && len(p) > c.room {
		p = p[:c.room]
	}
	n, err := c.Read(p)
	if c.room > 0 {
		c.room -= n
	}
	if n > 0 {
		c.heard = true
	}
	return n, err
}

// head reads up to the answer's body, past the interim answers before it.
func (c *conn) head(req *http.Request) (*http.Response, error) {
	c.room = maxHeader
	defer func() { c.room = -1 }()
	for {
		resp, err := http.ReadResponse(c.r, req)
		if errors.Is(err, io.ErrUnexpectedEOF) && c.room == 0 {
			err = errHeaderTooLong
		}
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= http.StatusOK {
			return resp, nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return nil, errors.New("the answer switches protocols")
		}
	}
}
