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

// conn rewrites error responses of net/http itself. The library writes them as plain text
// before any handler runs and has no hook, so conn replaces them in Write.
type conn struct {
	net.Conn
	gatekeeper *gatekeeper
	// extra marks a connection beyond MaxConns.
	extra  bool
	closed atomic.Bool
	// serving is set while a handler has the request. Then all writes are the handler's.
	serving atomic.Bool
	// requestStarted is set when a part of the next request has arrived.
	requestStarted bool
	// deadlineCount counts the deadlines that net/http set since the last request.
	deadlineCount int
	// lastRead is the result of the last Read, usually the headers. It is net/http's memory,
	// valid until its next read.
	lastRead []byte
	// buffered holds unsent output; nil if the response is not buffered.
	buffered *[]byte
}

type connKey struct{}

func storeConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// resetIdleConn resets the state of a connection that becomes idle.
func resetIdleConn(nc net.Conn, state http.ConnState) {
	if c, ok := nc.(*conn); ok && state == http.StateIdle {
		c.requestStarted, c.deadlineCount = false, 0
		c.serving.Store(false)
	}
}

// tlsHandshakeByte is the first byte of every TLS connection and of no HTTP request.
const tlsHandshakeByte = 0x16

// Read responds where net/http would close silently: headers that do not arrive in time, and
// TLS on a plain port.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.serving.Load() {
		return n, err
	}
	if n > 0 {
		c.lastRead = b[:n]
	}
	switch {
	case n > 0 && !c.requestStarted && b[0] == tlsHandshakeByte:
		c.writeError(apperr.New(apperr.InvalidRequest, "this port does not support TLS; use http:// in the address"))
		return 0, io.EOF
	case n > 0:
		c.requestStarted = true
	case c.requestStarted && errors.Is(err, os.ErrDeadlineExceeded):
		c.writeError(apperr.New(apperr.RequestTimeout, "the headers did not arrive in time"))
	}
	return n, err
}

// SetReadDeadline detects a request that arrived in the same packet as the previous one, which
// no Read shows: net/http sets one deadline to wait for a request and the next when it has
// started.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.serving.Load() {
		c.deadlineCount++
		c.requestStarted = c.requestStarted || c.deadlineCount > 1
	}
	return c.Conn.SetReadDeadline(t)
}

// Write replaces a response of net/http itself.
func (c *conn) Write(b []byte) (int, error) {
	if c.serving.Load() {
		return c.write(b)
	}
	e := c.gatekeeper.translateResponse(b)
	if e == nil {
		return c.Conn.Write(b)
	}
	c.writeError(e)
	return len(b), nil
}

// writeError responds to a request that no handler has seen. The connection closes next, so
// write errors are ignored.
func (c *conn) writeError(e *apperr.Error) {
	_, _ = c.Conn.Write(encodeResponse(e, c.gatekeeper.errorOptions(findFormat(c.lastRead))))
}

// CloseWrite closes the sending side first, so that a response still arrives when the request
// was not read completely.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close releases the connection's slot, once.
func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.gatekeeper.openConns.Add(-1)
	}
	return c.Conn.Close()
}
