package httpserver

import (
	"bufio"
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// conn is one connection. It serves one request after the other.
type conn struct {
	net.Conn
	server *server
	in     *bufio.Reader
	// addr identifies the client. It is the zero address if a trusted proxy opened the connection.
	addr netip.Addr
	// remote is the address of the other end.
	remote string
	// ctx is canceled when the client disconnects. It is the parent of the requests' contexts.
	ctx    context.Context
	cancel context.CancelFunc
	// extra means that a limit was reached when this connection was accepted.
	extra bool
	// accepted, waiting and removed belong to connTable, which locks them.
	accepted time.Time
	waiting  *list.Element
	removed  bool
	// evicted means that a new connection has replaced this one.
	evicted atomic.Bool
	// phase tells whether shutdown may close the connection.
	phase atomic.Int32
	// reused is set after the first request.
	reused bool
	// emptyBytes is how many bytes of line breaks may still precede the next request.
	emptyBytes int
	// head contains the headers of the request, or their beginning.
	head []byte
	deadlines
	watch watch
}

// The phases of a connection. In phaseIdle, no byte of a request has arrived.
const (
	phaseIdle int32 = iota
	phaseBusy
	phaseStopped
)

func newConn(s *server, nc net.Conn) *conn {
	c := &conn{Conn: nc, server: s, remote: nc.RemoteAddr().String()}
	c.addr = s.countedClient(c.remote)
	return c
}

func (c *conn) serve() {
	defer c.close()
	defer func() {
		if p := recover(); p != nil {
			c.logPanic(p)
		}
	}()
	c.in = bufio.NewReader(c)
	c.ctx, c.cancel = context.WithCancel(c.server.base)
	defer c.cancel()
	for c.serveNext() {
		c.reused = true
	}
}

// serveNext serves the next request. It returns false if it was the last one.
func (c *conn) serveNext() bool {
	if !c.awaitRequest() {
		return false
	}
	r, err := c.readRequest()
	if err != nil {
		c.rejectHead(err)
		return false
	}
	ex := newExchange(c, &r)
	if !c.handle(ex, &r) || !ex.response.finish() {
		return false
	}
	c.emptyBytes = 0
	if r.Method == http.MethodPost {
		c.emptyBytes = maxEmptyBytes
	}
	c.skipEmptyLines()
	c.server.table.endRequest(c)
	if c.in.Buffered() > 0 { // the next request has begun to arrive
		return true
	}
	return c.phase.CompareAndSwap(phaseBusy, phaseIdle) && !c.server.stopping.Load()
}

// awaitRequest waits for the first byte of the next request.
func (c *conn) awaitRequest() bool {
	for c.in.Buffered() == 0 {
		c.setWaitDeadline()
		if _, err := c.in.Peek(1); err != nil {
			break
		}
		c.skipEmptyLines()
	}
	hasBytes := c.in.Buffered() > 0
	switch {
	case c.evicted.Load() && !c.reused: // an idle connection expects no response
		c.writeError(overloadedError())
		return false
	case !hasBytes || !c.phase.CompareAndSwap(phaseIdle, phaseBusy) && c.phase.Load() != phaseBusy:
		return false
	case !c.reused && c.startsTLS():
		c.writeError(apperr.New(apperr.InvalidRequest, "this port does not support TLS; use http:// in the address"))
		return false
	}
	return true
}

// startsTLS reports whether the next byte is the first one of a TLS connection. No HTTP request has it.
func (c *conn) startsTLS() bool {
	const handshake = 0x16
	first, err := c.in.Peek(1)
	return err == nil && first[0] == handshake
}

// handle runs the handler. It returns false if the handler panicked.
func (c *conn) handle(ex *exchange, r *http.Request) (ok bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			c.logPanic(p)
			ok = false
		}
		_ = ex.body.Close()
		c.stopWatching()
	}()
	if ex.body.ended {
		c.startWatching()
	}
	c.server.serveHTTP(c, &ex.response, r.WithContext(ctx))
	return true
}

// logPanic logs a panic, except the one with which handlers close the connection.
func (c *conn) logPanic(p any) {
	if p != http.ErrAbortHandler { //nolint:errorlint // net/http also compares with ==
		c.server.Log.Error("panic while serving a request", "panic", p, "stack", string(debug.Stack()))
	}
}

// rejectHead responds to a request that no handler receives.
func (c *conn) rejectHead(err error) {
	var e *apperr.Error
	switch {
	case errors.As(err, &e):
	case c.evicted.Load():
		e = overloadedError()
	case isTimeout(err):
		e = apperr.New(apperr.RequestTimeout, "the headers did not arrive in time")
	default:
		return // the client has disconnected
	}
	c.writeError(e)
}

// writeError responds with an error and ends the connection. It ignores write errors, because the
// connection is closed next.
func (c *conn) writeError(e *apperr.Error) {
	c.writeDeadline = time.Now().Add(lingerTime)
	_ = c.sendBytes(encodeResponse(e, c.server.errorOptions(findFormat(c.head))))
	c.linger()
}

const (
	// lingerTime is how long a connection stays open after an error, so that the client can read
	// the response. Closing it while data arrives could discard the response.
	lingerTime = 500 * time.Millisecond
	// maxDiscard is how much of a body that no handler reads is discarded. net/http uses the same.
	maxDiscard = 256 << 10
)

// linger ends the response and discards what the client still sends.
func (c *conn) linger() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		return
	}
	c.readDeadline = time.Now().Add(lingerTime)
	_, _ = io.Copy(io.Discard, c.in)
}

// evict ends the wait for a request.
func (c *conn) evict() {
	c.evicted.Store(true)
	_ = c.SetReadDeadline(pastDeadline)
}

// stopIfIdle ends the connection if no byte of a request has arrived.
func (c *conn) stopIfIdle() {
	if c.phase.CompareAndSwap(phaseIdle, phaseStopped) {
		_ = c.SetReadDeadline(pastDeadline)
	}
}

// close closes the connection and stops counting it.
func (c *conn) close() {
	c.server.table.remove(c)
	_ = c.Close()
	c.server.forget(c)
}
