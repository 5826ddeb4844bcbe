package httpserver

import (
	"cmp"
	"errors"
	"net"
	"time"
)

// deadlines are the deadlines of a connection. To save time, they are set only before a call that could
// wait: most requests arrive and leave without waiting.
type deadlines struct {
	readDeadline, appliedRead   time.Time
	writeDeadline, appliedWrite time.Time
	// idleDeadline is the last deadline of the wait between two requests.
	idleDeadline time.Time
}

// pastDeadline ends every read at once.
var pastDeadline = time.Unix(1, 0)

// Read reads from the client. It is called only by the buffered reader. It cancels the request if the
// client has disconnected.
func (c *conn) Read(b []byte) (int, error) {
	c.applyReadDeadline()
	n, err := c.Conn.Read(b)
	if err != nil && !isTimeout(err) {
		c.cancel()
	}
	return n, err
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// applyReadDeadline keeps the deadline of evict, stopIfIdle and stopWatching, which other goroutines
// may have set before.
func (c *conn) applyReadDeadline() {
	if c.appliedRead != c.readDeadline {
		c.appliedRead = c.readDeadline
		_ = c.SetReadDeadline(c.readDeadline)
	}
	if c.evicted.Load() || c.phase.Load() == phaseStopped || c.watch.stopping.Load() {
		_ = c.SetReadDeadline(pastDeadline)
	}
}

// sendBytes sends bytes to the client. An error cancels the request.
func (c *conn) sendBytes(b []byte) error {
	c.applyWriteDeadline()
	_, err := c.Write(b)
	if err != nil {
		c.cancel()
	}
	return err
}

// sendParts sends parts of a response in one system call.
func (c *conn) sendParts(parts net.Buffers) error {
	c.applyWriteDeadline()
	_, err := parts.WriteTo(c.Conn)
	if err != nil {
		c.cancel()
	}
	return err
}

func (c *conn) applyWriteDeadline() {
	if c.appliedWrite != c.writeDeadline {
		c.appliedWrite = c.writeDeadline
		_ = c.SetWriteDeadline(c.writeDeadline)
	}
}

// setWaitDeadline limits the wait for the first byte of a request. A deadline that is a little early is
// kept, because it costs time to set one for each request.
func (c *conn) setWaitDeadline() {
	now := time.Now()
	if !c.reused {
		c.readDeadline = c.headerDeadline(now)
		return
	}
	if c.idleDeadline.Sub(now) < idleTimeout-maxEarly {
		c.idleDeadline = now.Add(idleTimeout)
	}
	c.readDeadline = c.idleDeadline
}

// maxEarly is how much earlier than idleTimeout an idle connection may be closed.
const maxEarly = 5 * time.Second

// headerDeadline returns the deadline of headers. It is earlier while few connections are free.
func (c *conn) headerDeadline(now time.Time) time.Time {
	limit := cmp.Or(c.server.HeaderTimeout, defaultHeaderTimeout)
	if c.server.table.isNearlyFull() {
		limit = min(limit, busyHeaderTimeout)
	}
	return now.Add(limit)
}
