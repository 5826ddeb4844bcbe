package lane

import (
	"errors"
	"fmt"
	"io"
	"math"

	"golang.org/x/net/http2"
)

// errStray is data that belongs to no stream.
var errStray = errors.New("the peer sends what belongs to no stream")

// receive reads until a message is there, or the peer has sent its last: then
// the error is io.EOF. Headers are given to heads. The message is good until the
// next receive.
func (c *conn) receive(heads func(*http2.MetaHeadersFrame) error) ([]byte, error) {
	for {
		message, ok, err := c.in.next()
		switch {
		case ok || err != nil:
			return message, err
		case c.last && c.in.cut():
			return nil, io.ErrUnexpectedEOF
		case c.last:
			return nil, io.EOF
		}
		c.invite()
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

// take does as a frame says.
func (c *conn) take(f http2.Frame, heads func(*http2.MetaHeadersFrame) error) error {
	switch f := f.(type) {
	case *http2.DataFrame:
		return c.data(f)
	case *http2.MetaHeadersFrame:
		return heads(f)
	case *http2.SettingsFrame:
		c.settings(f)
	case *http2.WindowUpdateFrame:
		return c.more(f)
	case *http2.PingFrame:
		return c.ping(f)
	case *http2.RSTStreamFrame:
		return fmt.Errorf("the peer has ended the stream: %s", f.ErrCode)
	case *http2.GoAwayFrame:
		if f.ErrCode != http2.ErrCodeNo || f.LastStreamID < id {
			return fmt.Errorf("the peer is leaving: %s %q", f.ErrCode, f.DebugData())
		}
	}
	return nil
}

// data keeps what a frame holds.
func (c *conn) data(f *http2.DataFrame) error {
	if f.StreamID != id || c.last {
		return errStray
	}
	c.in.add(f.Data())
	c.last = f.StreamEnded()
	c.eaten += f.Length
	return nil
}

// invite lets the peer send more when half of what it may is used up. It is for
// a reader that has nothing left to do: what is read while answers wait to be
// sent does not count, or there would be no end to it.
func (c *conn) invite() {
	if n := c.eaten; n >= window/2 {
		c.eaten = 0
		c.owe(func(d *debt) { d.window += n })
	}
}

func (c *conn) ping(f *http2.PingFrame) (err error) {
	if f.IsAck() {
		return nil
	}
	c.owe(func(d *debt) {
		if d.pings = append(d.pings, f.Data); len(d.pings) > maxPings {
			err = errPings
		}
	})
	return err
}

func (c *conn) settings(f *http2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	c.mu.Lock()
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		c.stream += int64(v) - c.first
		c.first = int64(v)
		c.freed.Broadcast()
	}
	c.mu.Unlock()
	c.owe(func(d *debt) { d.settings++ })
}

// more is that the peer takes more.
func (c *conn) more(f *http2.WindowUpdateFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	grown := &c.all
	switch f.StreamID {
	case 0:
	case id:
		grown = &c.stream
	default:
		return nil
	}
	if *grown += int64(f.Increment); *grown > math.MaxInt32 {
		return errors.New("the peer takes more than there can be")
	}
	c.freed.Broadcast()
	return nil
}
