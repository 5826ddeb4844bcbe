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

	// writing is held by who writes a frame. A client's reader never does: each
	// side would wait for the other to read.
	writing sync.Mutex
	// owing is told when there is a debt that the reader does not pay itself.
	owing chan struct{}
	// patience is how long a write may take, as set at renewed.
	patience time.Duration
	renewed  time.Time

	// mu guards the rest of what many touch, and is held for moments alone.
	mu sync.Mutex
	// freed is told when more may be sent, or never again.
	freed sync.Cond
	// stream and all are what the peer takes of the stream and the connection.
	stream, all int64
	// first is what the peer takes of a new stream.
	first int64
	// debt is what the peer is to be told because of what was read.
	debt debt
	// err is why nothing more is sent.
	err error
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
	c := &conn{raw: raw, owing: make(chan struct{}, 1), patience: writeLimit, stream: usualWindow, all: usualWindow, first: usualWindow}
	c.freed.L = &c.mu
	c.framer = http2.NewFramer(raw, bufio.NewReaderSize(raw, readBuffer))
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(maxFrame)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = maxHeaders
	return c
}

// attend pays what is owed, pings a peer that is silent, and gives up one that
// stays so.
func (c *conn) attend(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for silent := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-c.owing:
			c.pay()
			continue
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

// fail lets whoever waits to send go. The first reason stays.
func (c *conn) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.freed.Broadcast()
	return c.err
}

// close ends the connection at once, also under who is writing. It may be
// called again.
func (c *conn) close(err error) error {
	_ = c.fail(err)
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	return c.raw.Close()
}
