package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
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

// errShortBody is a request whose body ends before its Content-Length.
var errShortBody = errors.New("the request's body is shorter than its Content-Length")

// call sends the request and reads the answer's head. It does not touch the
// request's body after it has returned.
func (c *conn) call(ctx context.Context, req *http.Request) (*http.Response, error) {
	detach := context.AfterFunc(ctx, func() { _ = c.SetDeadline(past) })
	c.begin()
	var resp *http.Response
	var sendErr, err error
	if req.ContentLength > unheard {
		resp, sendErr, err = c.atOnce(ctx, req)
	} else {
		resp, sendErr, err = c.inTurn(ctx, req)
	}
	if err != nil {
		detach()
		return nil, errors.Join(sendErr, err)
	}
	keep := sendErr == nil && !resp.Close && resp.ProtoAtLeast(1, 1)
	resp.Body = newBody(c, resp, keep, detach)
	return resp, nil
}

// inTurn writes and then reads.
func (c *conn) inTurn(ctx context.Context, req *http.Request) (resp *http.Response, sendErr, err error) {
	if sendErr = c.send(req); sendErr != nil {
		if !c.written || ctx.Err() != nil {
			return nil, nil, sendErr
		}
		_ = c.SetReadDeadline(time.Now().Add(lastWords))
	}
	resp, err = c.head(req)
	return resp, sendErr, err
}

// atOnce reads while it writes: an upstream may answer without reading the
// body, and leave the rest of it stuck. A refusal ends the writing; any other
// early answer is from one that goes on reading.
func (c *conn) atOnce(ctx context.Context, req *http.Request) (resp *http.Response, sendErr, err error) {
	sent := make(chan error, 1)
	go func() {
		err := c.send(req)
		if err != nil && ctx.Err() == nil {
			_ = c.SetReadDeadline(time.Now().Add(lastWords))
		}
		sent <- err
	}()
	resp, err = c.head(req)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		_ = c.SetWriteDeadline(past)
	}
	return resp, <-sent, err
}

func (c *conn) send(req *http.Request) error {
	c.out = appendHead(c.out[:0], req)
	var body io.Reader
	switch {
	case req.ContentLength > oneWrite:
		body = req.Body
	case req.ContentLength > 0:
		head := len(c.out)
		c.out = append(c.out, make([]byte, req.ContentLength)...)
		if _, err := io.ReadFull(req.Body, c.out[head:]); err != nil {
			return errShortBody
		}
	}
	n, err := c.Write(c.out)
	c.written = n > 0
	if err != nil || body == nil {
		return err
	}
	m, err := io.Copy(c.Conn, body)
	if err == nil && m != req.ContentLength {
		err = errShortBody
	}
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
