// Package lane is one gRPC stream on an HTTP/2 connection of its own, for small
// messages that somebody waits for. On the wire it is gRPC, and either side may
// be a library's. But whoever sends writes to the connection itself, and the
// server answers on the goroutine that reads: libraries hand each message over
// from one goroutine to the next four times on a round trip, which costs more
// than all that is done with it. It makes no connections and checks nobody's
// certificate. pkg/rpc uses it.
package lane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Message writes its protobuf form behind dst.
type Message interface {
	AppendMessage(dst []byte) []byte
}

// Protocol is how a client asks for a server of this package in the handshake
// of TLS. What follows is HTTP/2 all the same.
const Protocol = "signalbox-lane"

const (
	// id is the one stream's.
	id = 1
	// window is how much may be under way unread, in either direction.
	window = 1 << 20
	// usualWindow is what HTTP/2 begins with.
	usualWindow = 65535
	// maxFrame is the longest frame that every peer takes.
	maxFrame = 16 << 10
	// maxMessage bounds one message.
	maxMessage = 1 << 20
	// maxWaiting is how much may wait to be answered while answers are not read.
	maxWaiting = 2 * window
	// maxHeaders bounds the names and values that a peer may send.
	maxHeaders = 64 << 10
	// writeLimit is how long a peer may take nothing before the connection is
	// given up, and renewEvery how exact that is.
	writeLimit = 5 * time.Second
	renewEvery = time.Second
	// A side that sends nothing for pingEvery is pinged, and given up after so
	// many silences in a row.
	pingEvery = 5 * time.Second
	silences  = 3
	// readBuffer holds a message and what comes with it.
	readBuffer = 16 << 10
)

var (
	// ErrClosed is that the stream has ended.
	ErrClosed = errors.New("the stream has ended")
	errRude   = errors.New("the peer asks more and more, and reads no answer")
	errSilent = errors.New("the peer is silent")
	errTooBig = fmt.Errorf("a message has more than %d bytes", maxMessage)
)

// conn is either side. One goroutine reads; any may write.
type conn struct {
	raw    net.Conn
	framer *http2.Framer

	// turn is held for a whole message, so that its frames stay together.
	turn sync.Mutex
	out  []byte

	// mu is held for a frame.
	mu sync.Mutex
	// freed is told when more may be sent, or never again.
	freed sync.Cond
	// stream and all are what the peer takes of the stream and the connection.
	stream, all int64
	// first is what the peer takes of a new stream.
	first   int64
	err     error
	renewed time.Time
	// closed is whether this side has closed the connection.
	closed bool

	// alone is whether the reader is the one who sends: then nobody else reads
	// that more may be sent.
	alone bool

	// The rest is the reader's.
	in inbox
	// eaten is what was read since the peer was told that it may send more.
	eaten uint32
	// last is whether the peer has sent its last message.
	last bool
	// heard is set by whatever the peer sends.
	heard atomic.Bool
}

func newConn(raw net.Conn) *conn {
	c := &conn{raw: raw, stream: usualWindow, all: usualWindow, first: usualWindow}
	c.freed.L = &c.mu
	c.framer = http2.NewFramer(raw, bufio.NewReaderSize(raw, readBuffer))
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(maxFrame)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = maxHeaders
	return c
}

// greet tells the peer what may be sent to this side.
func (c *conn) greet(more ...http2.Setting) error {
	return c.write(func() error {
		settings := append([]http2.Setting{{ID: http2.SettingInitialWindowSize, Val: window}}, more...)
		if err := c.framer.WriteSettings(settings...); err != nil {
			return err
		}
		return c.framer.WriteWindowUpdate(0, window-usualWindow)
	})
}

// write has frames written by one at a time. After an error nothing more is
// sent: a part of a frame may be out.
func (c *conn) write(frames func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.locked(frames)
}

func (c *conn) locked(frames func() error) error {
	if c.err != nil {
		return c.err
	}
	if now := time.Now(); now.Sub(c.renewed) > renewEvery {
		c.renewed = now
		_ = c.raw.SetWriteDeadline(now.Add(writeLimit))
	}
	if err := frames(); err != nil {
		c.fail(err)
		return err
	}
	return nil
}

// fail lets whoever waits to send go. mu is held.
func (c *conn) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.freed.Broadcast()
}

// attend pings a peer that is silent, and gives up one that stays so.
func (c *conn) attend(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for silent := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if silent++; c.heard.Swap(false) {
			silent = 0
		}
		switch {
		case silent >= silences:
			_ = c.close(errSilent)
			return
		case silent > 0:
			_ = c.write(func() error { return c.framer.WritePing(false, [8]byte{}) })
		}
	}
}

// close ends the connection at once. It may be called again.
func (c *conn) close(err error) error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.fail(err)
	c.mu.Unlock()
	if again {
		return nil
	}
	return c.raw.Close()
}
