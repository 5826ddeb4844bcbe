package egress

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// readBuffer holds a usual answer, and many events of a stream.
const readBuffer = 8 << 10

// errHeaderTooLong is an answer whose head never ends.
var errHeaderTooLong = errors.New("the answer's header is too long")

// past is a deadline that has gone by.
var past = time.Unix(1, 0)

// conn is one connection. It is used by one call at a time.
type conn struct {
	net.Conn
	key  string
	pool *pool
	r    *bufio.Reader
	out  []byte
	// written is whether a byte of the present call went out, heard whether
	// one of its answer came in.
	written, heard bool
	// room is what may still be read of a head; -1 for no bound.
	room  int
	since time.Time
}

func newConn(raw net.Conn, key string, p *pool) *conn {
	c := &conn{Conn: raw, key: key, pool: p}
	c.r = bufio.NewReaderSize(reader{c}, readBuffer)
	return c
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
