package lane

import (
	"encoding/binary"
	"errors"
)

// prefix is what gRPC puts before a message: whether it is compressed, and its
// length.
const prefix = 5

var errCompressed = errors.New("a message is compressed, which was not offered")

// send writes one message. It waits while the peer takes nothing.
func (c *conn) send(m Message) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.out = m.AppendMessage(append(c.out[:0], make([]byte, prefix)...))
	if len(c.out)-prefix > maxMessage {
		return errTooBig
	}
	binary.BigEndian.PutUint32(c.out[1:], uint32(len(c.out)-prefix)) //nolint:gosec // bounded above
	for rest := c.out; len(rest) > 0; {
		n, err := c.sendPart(rest)
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// sendPart writes as much as one frame holds and the peer takes.
func (c *conn) sendPart(b []byte) (int, error) {
	n, err := c.allowed(len(b))
	if err != nil {
		return 0, err
	}
	return n, c.write(func() error { return c.framer.WriteData(id, false, b[:n]) })
}

// allowed waits until the peer takes something, and counts it as sent.
func (c *conn) allowed(want int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for min(c.stream, c.all) <= 0 {
		if err := c.await(); err != nil {
			return 0, err
		}
	}
	n := min(int64(want), maxFrame, c.stream, c.all)
	c.stream -= n
	c.all -= n
	return int(n), c.err
}

// await waits until more may be sent. mu is held, but for the time meanwhile.
func (c *conn) await() error {
	switch {
	case c.err != nil:
		return c.err
	case !c.alone:
		c.freed.Wait()
		return nil
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	if len(c.in.buf) > maxWaiting {
		return errRude
	}
	return c.read(refuseHeads)
}

// inbox puts messages together from what the frames hold.
type inbox struct {
	buf []byte
	// taken is how much of buf has been handed out.
	taken int
}

func (i *inbox) add(b []byte) {
	if i.taken > 0 {
		i.buf = i.buf[:copy(i.buf, i.buf[i.taken:])]
		i.taken = 0
	}
	i.buf = append(i.buf, b...)
}

// cut tells whether a part of a message is left.
func (i *inbox) cut() bool { return len(i.buf) > i.taken }

// next is the first whole message, if there is one. It is good until the next
// add.
func (i *inbox) next() ([]byte, bool, error) {
	rest := i.buf[i.taken:]
	if len(rest) < prefix {
		return nil, false, nil
	}
	if rest[0] != 0 {
		return nil, false, errCompressed
	}
	n := binary.BigEndian.Uint32(rest[1:])
	if n > maxMessage {
		return nil, false, errTooBig
	}
	end := prefix + int(n)
	if len(rest) < end {
		return nil, false, nil
	}
	i.taken += end
	return rest[prefix:end], true, nil
}
