package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// conn is a connection whose requests may be refused by the library before a
// handler sees them. The library does so in plain text and offers no hook, so
// that its answers are replaced on their way out.
type conn struct {
	net.Conn
	door *door
	// extra is set for a connection beyond the bound.
	extra  bool
	closed atomic.Bool
	// serving is set from when a handler has the request until its answer is
	// out: whatever is written then is the handler's.
	serving atomic.Bool
	// begun is whether a part of the next request has arrived.
	begun bool
	// waits counts the deadlines that the library has set since the last
	// request.
	waits int
	// last is what was read last: the headers, if they came together. It is
	// the library's memory, good until its next read.
	last []byte
	// gathered is what was written and is held back; nil if nothing is to be.
	gathered *[]byte
}

type connKey struct{}

func remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// rest is told when a connection has nothing to do.
func rest(nc net.Conn, state http.ConnState) {
	if c, ok := nc.(*conn); ok && state == http.StateIdle {
		c.begun, c.waits = false, 0
		c.serving.Store(false)
	}
}

// handshake is the first byte of every TLS connection, and of no request.
const handshake = 0x16

// Read notices what the library would leave without an answer: headers that
// do not come to an end, and TLS, which may not even end in a line.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.serving.Load() {
		return n, err
	}
	if n > 0 {
		c.last = b[:n]
	}
	switch {
	case n > 0 && !c.begun && b[0] == handshake:
		c.say(apperr.New(apperr.InvalidRequest, "TLS is not spoken on this port; use http:// in the address"))
		return 0, io.EOF
	case n > 0:
		c.begun = true
	case c.begun && errors.Is(err, os.ErrDeadlineExceeded):
		c.say(apperr.New(apperr.RequestTimeout, "the headers did not arrive in time"))
	}
	return n, err
}

// SetReadDeadline notices a request that began in the same packet as the one
// before it ended, and that therefore no Read will show: the library sets one
// deadline to wait for a request, and the next when it has begun.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.serving.Load() {
		c.waits++
		c.begun = c.begun || c.waits > 1
	}
	return c.Conn.SetReadDeadline(t)
}

// Write replaces an answer of the library's own.
func (c *conn) Write(b []byte) (int, error) {
	if c.serving.Load() {
		return c.write(b)
	}
	e := c.door.translate(b)
	if e == nil {
		return c.Conn.Write(b)
	}
	c.say(e)
	return len(b), nil
}

// say answers a request that no handler has seen; nobody learns whether it
// arrived, as the connection is closed next.
func (c *conn) say(e *apperr.Error) {
	_, _ = c.Conn.Write(canned(e, c.door.id(), formatIn(c.last)))
}

// CloseWrite lets the library end its side first, so that the answer to what
// was not read to its end still arrives.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close gives the place back, once.
func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.door.open.Add(-1)
	}
	return c.Conn.Close()
}
