package lane

import (
	"errors"
	"os"
	"time"

	"golang.org/x/net/http2"
)

// maxPings is how many pings a peer may send before it has read an answer.
const maxPings = 64

var errPings = errors.New("the peer sends pings without end")

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

// write has frames written by one at a time.
func (c *conn) write(frames func() error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.put(frames)
}

// put writes; writing is held. After an error nothing more is sent, as a part
// of a frame may be out. A peer that takes nothing is given up; of one that has
// left, what it sent before is still read.
func (c *conn) put(frames func() error) error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if now := time.Now(); now.Sub(c.renewed) > renewEvery {
		c.renewed = now
		_ = c.raw.SetWriteDeadline(now.Add(c.patience))
	}
	if err = frames(); err == nil {
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.close(err)
	}
	return c.fail(err)
}

// hurry bounds what is still written.
func (c *conn) hurry(within time.Duration) {
	c.writing.Lock()
	c.patience, c.renewed = within, time.Time{}
	c.writing.Unlock()
}

// owe has the peer told of something. The reader does not write that itself,
// unless it writes everything: the system may hold no more until the peer reads,
// and the peer may wait for the same.
func (c *conn) owe(add func(*debt)) {
	c.mu.Lock()
	add(&c.debt)
	c.mu.Unlock()
	if c.alone {
		c.pay()
		return
	}
	select {
	case c.owing <- struct{}{}:
	default:
	}
}

// pay writes what is owed.
func (c *conn) pay() {
	if d := c.due(); !d.none() {
		_ = c.write(func() error { return d.write(c.framer) })
	}
}

// due takes what is owed.
func (c *conn) due() debt {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.debt
	c.debt = debt{}
	return d
}

// debt is what one side has to tell the other because of what it has read.
type debt struct {
	settings int
	pings    [][8]byte
	// window is how much more may be sent.
	window uint32
}

func (d *debt) none() bool { return d.settings == 0 && len(d.pings) == 0 && d.window == 0 }

func (d *debt) write(f *http2.Framer) error {
	var errs []error
	for range d.settings {
		errs = append(errs, f.WriteSettingsAck())
	}
	for _, data := range d.pings {
		errs = append(errs, f.WritePing(true, data))
	}
	if d.window > 0 {
		errs = append(errs, f.WriteWindowUpdate(0, d.window), f.WriteWindowUpdate(id, d.window))
	}
	return errors.Join(errs...)
}
