package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

const (
	// oneWrite is the longest body that is copied behind its head, to leave
	// in one write; a longer one goes by itself.
	oneWrite = 16 << 10
	// unheard is the longest body that is written before the answer is
	// listened for: the system takes that much for an upstream that reads none
	// of it, so that writing does not get stuck.
	unheard = 64 << 10
	// lastWords is how long an upstream that stopped reading is given to say
	// why.
	lastWords = time.Second
)

// call sends the request and reads the answer's head. It does not touch the
// request's body after it has returned.
func (c *conn) call(ctx context.Context, p Post) (Answer, error) {
	detach := context.AfterFunc(ctx, c.abort)
	c.begin()
	var h head
	var sendErr, err error
	if length := p.length(); length > unheard {
		h, sendErr, err = c.atOnce(ctx, p, length)
	} else {
		h, sendErr, err = c.inTurn(ctx, p, length)
	}
	if err != nil {
		detach()
		return Answer{}, errors.Join(sendErr, err)
	}
	a := Answer{Status: h.status, Header: h.header, Length: h.length, Here: c.r.Buffered()}
	h.last = h.last || sendErr != nil
	a.Body = newBody(c, h, detach)
	return a, nil
}

// inTurn writes and then reads.
func (c *conn) inTurn(ctx context.Context, p Post, length int64) (h head, sendErr, err error) {
	if sendErr = c.send(p, length); sendErr != nil {
		if !c.written || ctx.Err() != nil {
			return head{}, nil, sendErr
		}
		_ = c.SetReadDeadline(time.Now().Add(lastWords))
	}
	h, err = c.head(p.With.wanted)
	return h, sendErr, err
}

// atOnce reads while it writes: an upstream may answer without reading the
// body, and leave the rest of it stuck. A refusal ends the writing; any other
// early answer is from one that goes on reading.
func (c *conn) atOnce(ctx context.Context, p Post, length int64) (h head, sendErr, err error) {
	sent := make(chan error, 1)
	go func() {
		err := c.send(p, length)
		if err != nil && ctx.Err() == nil {
			_ = c.SetReadDeadline(time.Now().Add(lastWords))
		}
		sent <- err
	}()
	h, err = c.head(p.With.wanted)
	if err != nil || h.status >= http.StatusMultipleChoices {
		_ = c.SetWriteDeadline(past)
	}
	return h, <-sent, err
}

func (c *conn) send(p Post, length int64) error {
	c.out = append(append(c.out[:0], p.To.line...), p.With.lines...)
	c.out = append(c.out, "\r\nContent-Length: "...)
	c.out = strconv.AppendInt(c.out, length, 10)
	c.out = append(c.out, "\r\n\r\n"...)
	if length <= oneWrite {
		for _, piece := range p.Pieces {
			c.out = append(c.out, piece...)
		}
	}
	n, err := c.Write(c.out)
	c.written = n > 0
	if err != nil || length <= oneWrite {
		return err
	}
	left := append(net.Buffers(nil), p.Pieces...) // which are used up
	_, err = left.WriteTo(c.Conn)
	return err
}

// ended reports whether err is the upstream's end of the connection.
func ended(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
