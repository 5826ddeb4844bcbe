package httpserver

import (
	"sync/atomic"
	"time"
)

// watchDelay is how long a handler runs before the server watches whether the client disconnects.
// The watch costs a goroutine and several system calls, which short requests do not need.
// Only tests change it.
var watchDelay = 20 * time.Millisecond

// watch reads ahead while a handler runs. If the client disconnects, the read fails, which cancels the
// request.
type watch struct {
	timer *time.Timer
	armed bool
	// stopping means that the handler has returned.
	stopping atomic.Bool
	// done receives a value when a started watch has ended.
	done chan struct{}
}

// startWatching is called when the body has been read. Until stopWatching returns, only
// the watch reads from the connection.
func (c *conn) startWatching() {
	c.watch.armed = true
	if c.watch.timer == nil {
		c.watch.done = make(chan struct{}, 1)
		c.watch.timer = time.AfterFunc(watchDelay, c.watchClient)
		return
	}
	c.watch.timer.Reset(watchDelay)
}

func (c *conn) watchClient() {
	c.readDeadline = time.Time{}
	_, _ = c.in.Peek(1) // cancels the request if the client disconnects
	c.watch.done <- struct{}{}
}

func (c *conn) stopWatching() {
	if !c.watch.armed {
		return
	}
	c.watch.armed = false
	if c.watch.timer.Stop() {
		return
	}
	c.watch.stopping.Store(true)
	_ = c.SetReadDeadline(pastDeadline)
	<-c.watch.done
	c.watch.stopping.Store(false)
	c.appliedRead = pastDeadline
}
