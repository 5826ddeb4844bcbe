package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// readBuffer holds a usual answer, and many events of a stream.
	readBuffer = 8 << 10
	// oneWrite is the longest body that is copied behind its head, to leave
	// in one write; a longer one goes by itself.
	oneWrite = 16 << 10
	// lastWords is how long an upstream that stopped reading is given to say
	// why.
	lastWords = time.Second
)

// errHeaderTooLong is an answer whose head never ends.
var errHeaderTooLong = errors.New("the answer's header is too long")

// past is a deadline that has gone by.
var past = time.Unix(1, 0)

// conn is one connection. It is used by one call at a time.
type conn struct {
	net.Conn
	key  string
	pool *pool
	r    *bufio.Reader
	out  []byte
	// written counts the bytes of the present call that went out.
	written int
	// room is what may still be read of a head; -1 for no bound.
	room  int
	since time.Time
}

func newConn(raw net.Conn, key string, p *pool) *conn {
	c := &conn{Conn: raw, key: key, pool: p}
	c.r = bufio.NewReaderSize(reader{c}, readBuffer)
	return c
}

// reader bounds what is read of a head.
type reader struct{ c *conn }

func (r reader) Read(p []byte) (int, error) {
	c := r.c
	if c.room == 0 {
		return 0, errHeaderTooLong
	}
	if c.room > 0 && len(p) > c.room {
		p = p[:c.room]
	}
	n, err := c.Read(p)
	if c.room > 0 {
		c.room -= n
	}
	return n, err
}

// call sends the request and reads the answer's head.
func (c *conn) call(ctx context.Context, req *http.Request) (*http.Response, error) {
	detach := context.AfterFunc(ctx, func() { _ = c.SetDeadline(past) })
	sendErr := c.send(req)
	if sendErr != nil {
		if c.written == 0 || ctx.Err() != nil {
			detach()
			return nil, sendErr
		}
		_ = c.SetReadDeadline(time.Now().Add(lastWords))
	}
	resp, err := c.head(req)
	if err != nil {
		detach()
		return nil, errors.Join(sendErr, err)
	}
	keep := sendErr == nil && !resp.Close && resp.ProtoAtLeast(1, 1)
	resp.Body = newBody(c, resp, keep, detach)
	return resp, nil
}

func (c *conn) send(req *http.Request) error {
	c.written = 0
	c.out = appendHead(c.out[:0], req)
	var body io.Reader
	switch {
	case req.ContentLength > oneWrite:
		body = req.Body
	case req.ContentLength > 0:
		head := len(c.out)
		c.out = append(c.out, make([]byte, req.ContentLength)...)
		if _, err := io.ReadFull(req.Body, c.out[head:]); err != nil {
			return fmt.Errorf("read the request's body: %w", err)
		}
	}
	n, err := c.Write(c.out)
	c.written = n
	if err != nil || body == nil {
		return err
	}
	_, err = io.Copy(c.Conn, body)
	return err
}

// head reads up to the answer's body, past the interim answers before it.
func (c *conn) head(req *http.Request) (*http.Response, error) {
	c.room = maxHeader
	defer func() { c.room = -1 }()
	for {
		resp, err := http.ReadResponse(c.r, req)
		if errors.Is(err, io.ErrUnexpectedEOF) && c.room == 0 {
			err = errHeaderTooLong
		}
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= http.StatusOK {
			return resp, nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return nil, errors.New("the answer switches protocols")
		}
	}
}
