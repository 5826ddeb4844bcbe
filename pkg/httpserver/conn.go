package httpserver

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
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
	// addr identifies the client. It is the zero address if a trusted proxy opened the connection.
	addr netip.Addr
	// extra means that a limit was reached when this connection was accepted.
	extra bool
	// accepted, waiting and removed belong to connTable, which locks them.
	accepted time.Time
	waiting  *list.Element
	removed  bool
	// evicted means that a new connection has replaced this one.
	evicted atomic.Bool
	// reused is set after the first request.
	reused bool
	// head is the scanner of the next request's headers.
	head headScanner
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
		c.requestStarted, c.deadlineCount, c.reused = false, 0, true
		c.head = headScanner{}
		c.serving.Store(false)
		c.gatekeeper.conns.endRequest(c)
	}
}

// tlsHandshakeByte is the first byte of every TLS connection and of no HTTP request.
const tlsHandshakeByte = 0x16

// Read sends an error response in three cases in which net/http would send none: the headers do not
// arrive in time, the connection is evicted, or the client uses TLS on a plain port.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.serving.Load() {
		return n, err
	}
	if n > 0 {
		c.lastRead = b[:n]
		c.scanHead(b[:n])
	}
	switch {
	case n > 0 && !c.requestStarted && b[0] == tlsHandshakeByte:
		c.writeError(apperr.New(apperr.InvalidRequest, "this port does not support TLS; use http:// in the address"))
		return 0, io.EOF
	case n > 0:
		c.requestStarted = true
	case c.evicted.Load() && (c.requestStarted || !c.reused): // an idle connection expects no response
		c.writeError(overloadedError())
	case c.requestStarted && errors.Is(err, os.ErrDeadlineExceeded):
		c.writeError(apperr.New(apperr.RequestTimeout, "the headers did not arrive in time"))
	}
	return n, err
}

// scanHead passes the bytes of a request to the scanner if it has seen the request from the start.
// Otherwise the request arrived together with the previous one, and the scanner stays incomplete.
func (c *conn) scanHead(b []byte) {
	c.head.started = c.head.started || !c.requestStarted
	if c.head.started {
		c.head.scan(b)
	}
}

// SetReadDeadline detects that a request has started although Read saw none of its bytes. This
// happens if the request arrived in the same packet as the previous one. net/http sets one deadline
// while it waits for a request, and a second one when the request has started.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.serving.Load() {
		c.deadlineCount++
		c.requestStarted = c.requestStarted || c.deadlineCount > 1
		t = c.limitHeaderDeadline(t)
	}
	err := c.Conn.SetReadDeadline(t)
	if c.evicted.Load() { // evict may have set its deadline before this one
		return c.Conn.SetReadDeadline(pastDeadline)
	}
	return err
}

// limitHeaderDeadline returns an earlier deadline for headers while few connections are free.
func (c *conn) limitHeaderDeadline(t time.Time) time.Time {
	isForHeader := !t.IsZero() && (c.requestStarted || !c.reused)
	if limit := time.Now().Add(busyHeaderTimeout); isForHeader && limit.Before(t) && c.gatekeeper.conns.isNearlyFull() {
		return limit
	}
	return t
}

// pastDeadline ends every read at once.
var pastDeadline = time.Unix(1, 0)

// evict ends the wait for a request. net/http then closes the connection.
func (c *conn) evict() {
	c.evicted.Store(true)
	_ = c.Conn.SetReadDeadline(pastDeadline)
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
	c.gatekeeper.conns.remove(c)
	return c.Conn.Close()
}
