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

// conn rewrites the error responses of net/http. net/http writes these as plain text before any
// handler runs, and has no hook to change them. So conn replaces them in Write.
type conn struct {
	net.Conn
	gatekeeper *gatekeeper
	// extra means that more than MaxConns connections were open when this one was accepted.
	extra  bool
	closed atomic.Bool
	// serving is set while a handler serves a request. Write then changes no bytes.
	serving atomic.Bool
	// requestStarted is set when the first bytes of the next request have arrived.
	requestStarted bool
	// deadlineCount counts the read deadlines that net/http has set since the last request ended.
	deadlineCount int
	// lastRead contains the bytes of the last Read, usually the headers. net/http owns the memory
	// and overwrites it with the next Read.
	lastRead []byte
	// buffered contains output that is not sent yet. It is nil if the response is not buffered.
	buffered *[]byte
}

type connKey struct{}

func storeConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// resetIdleConn prepares an idle connection for its next request.
func resetIdleConn(nc net.Conn, state http.ConnState) {
	if c, ok := nc.(*conn); ok && state == http.StateIdle {
		c.requestStarted, c.deadlineCount = false, 0
		c.serving.Store(false)
	}
}

// tlsHandshakeByte is the first byte of every TLS connection and of no HTTP request.
const tlsHandshakeByte = 0x16

// Read sends an error response in two cases in which net/http would send none: the headers do not
// arrive in time, or the client uses TLS on a plain port.
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

// SetReadDeadline detects that a request has started although Read saw none of its bytes. This
// happens if the request arrived in the same packet as the previous one. net/http sets one deadline
// while it waits for a request, and a second one when the request has started.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.serving.Load() {
		c.deadlineCount++
		c.requestStarted = c.requestStarted || c.deadlineCount > 1
	}
	return c.Conn.SetReadDeadline(t)
}

// Write replaces error responses that net/http wrote itself.
func (c *conn) Write(b []byte) (int, error) {
	if c.serving.Load() {
		return c.writeBuffered(b)
	}
	e := c.gatekeeper.translateResponse(b)
	if e == nil {
		return c.Conn.Write(b)
	}
	c.writeError(e)
	return len(b), nil
}

// writeError responds to a request that did not reach a handler. It ignores write errors, because
// the connection is closed next.
func (c *conn) writeError(e *apperr.Error) {
	_, _ = c.Conn.Write(encodeResponse(e, c.gatekeeper.errorOptions(findFormat(c.lastRead))))
}

// CloseWrite closes the sending side. net/http calls it before Close, so that the client receives
// the response even if the server has not read the whole request.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection. The first call also reduces the number of open connections.
func (c *conn) Close() error {
	if !c.closed.Swap(true) {
		c.gatekeeper.openConns.Add(-1)
	}
	return c.Conn.Close()
}
