package lane

import (
	"errors"
	"fmt"
	"io"
	"math"

	"golang.org/x/net/http2"
)

// receive reads until a message is there, or the peer has sent its last: then
// the error is io.EOF. Headers are given to heads. The message is good until the
// next receive.
func (c *conn) receive(heads func(*http2.MetaHeadersFrame) error) ([]byte, error) {
	for {
		message, ok, err := c.in.next()
		switch {
		case ok || err != nil:
			return message, err
		case c.last:
			return nil, io.EOF
		}
		if err := c.read(heads); err != nil {
			return nil, err
		}
	}
}

// read reads a frame. A connection that ends before the stream is an error.
func (c *conn) read(heads func(*http2.MetaHeadersFrame) error) error {
	f, err := c.framer.ReadFrame()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	c.heard.Store(true)
	return c.take(f, heads)
}

// take does as a frame says. What is sent in return may fail: whoever sends next
// is told, and what the peer has still sent is read.
func (c *conn) take(f http2.Frame, heads func(*http2.MetaHeadersFrame) error) error {
	switch f := f.(type) {
	case *http2.DataFrame:
		c.data(f)
	case *http2.MetaHeadersFrame:
		return heads(f)
	case *http2.SettingsFrame:
		c.settings(f)
	case *http2.WindowUpdateFrame:
		return c.more(f)
	case *http2.PingFrame:
		if f.IsAck() {
			return nil
		}
		_ = c.write(func() error { return c.framer.WritePing(true, f.Data) })
	case *http2.RSTStreamFrame:
		return fmt.Errorf("the peer has ended the stream: %s", f.ErrCode)
	case *http2.GoAwayFrame:
		return fmt.Errorf("the peer is leaving: %s %q", f.ErrCode, f.DebugData())
	}
	return nil
}

// data keeps what a frame holds, and lets the peer send more when half of what
// it may is used up.
func (c *conn) data(f *http2.DataFrame) {
	c.in.add(f.Data())
	c.last = f.StreamEnded()
	if c.eaten += f.Length; c.eaten >= window/2 {
		n := c.eaten
		c.eaten = 0
		_ = c.write(func() error {
			if err := c.framer.WriteWindowUpdate(0, n); err != nil {
				return err
			}
			return c.framer.WriteWindowUpdate(id, n)
		})
	}
}

func (c *conn) settings(f *http2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		c.stream += int64(v) - c.first
		c.first = int64(v)
		c.freed.Broadcast()
	}
	_ = c.locked(c.framer.WriteSettingsAck)
}

// more is that the peer takes more.
func (c *conn) more(f *http2.WindowUpdateFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := &c.all
	if f.StreamID != 0 {
		grown = &c.stream
	}
	if *grown += int64(f.Increment); *grown > math.MaxInt32 {
		return errors.New("the peer takes more than there can be")
	}
	c.freed.Broadcast()
	return nil
}
