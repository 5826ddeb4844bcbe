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
	// oneWrite is the largest body that is copied behind the head, so that one write sends
	// both. A larger body is not copied.
	oneWrite = 16 << 10
	// maxUnread is the largest body that is written before the response is read. The socket
	// buffers of the operating system hold this much even if the upstream reads nothing, so
	// writing does not block.
	maxUnread = 64 << 10
	// responseGrace is how long an upstream that stopped reading the request may take to send a
	// response.
	responseGrace = time.Second
)

// call sends the request and reads the head of the response. It does not use the request's
// body after it has returned.
func (c *conn) call(ctx context.Context, p Post) (HTTPResponse, error) {
	detach := context.AfterFunc(ctx, c.abort)
	c.startCall()
	var h head
	var sendErr, err error
	if length := p.length(); length > maxUnread {
		h, sendErr, err = c.writeAndRead(ctx, p, length)
	} else {
		h, sendErr, err = c.writeThenRead(ctx, p, length)
	}
	if err != nil {
		detach()
		return HTTPResponse{}, errors.Join(sendErr, err)
	}
	a := HTTPResponse{Status: h.status, Header: h.header, Length: h.length, Buffered: c.r.Buffered()}
	h.last = h.last || sendErr != nil
	a.Body = newBody(c, h, detach)
	return a, nil
}

// writeThenRead writes the request and then reads the response. If writing fails after the first
// byte, the upstream may already have sent a response, so writeThenRead still reads it.
func (c *conn) writeThenRead(ctx context.Context, p Post, length int64) (h head, sendErr, err error) {
	if sendErr = c.writeRequest(p, length); sendErr != nil {
		if !c.sentAny || ctx.Err() != nil {
			return head{}, nil, sendErr
		}
		_ = c.SetReadDeadline(time.Now().Add(responseGrace))
	}
	h, err = c.readHead(p.With.wanted)
	return h, sendErr, err
}

// writeAndRead writes the request and reads the response at the same time. An upstream may
// respond without reading the body, and writing would then block. A status of 300 or more stops
// the writing. After any other early response, the upstream is expected to read the rest.
func (c *conn) writeAndRead(ctx context.Context, p Post, length int64) (h head, sendErr, err error) {
	sent := make(chan error, 1)
	go func() {
		err := c.writeRequest(p, length)
		if err != nil && ctx.Err() == nil {
			_ = c.SetReadDeadline(time.Now().Add(responseGrace))
		}
		sent <- err
	}()
	h, err = c.readHead(p.With.wanted)
	if err != nil || h.status >= http.StatusMultipleChoices {
		_ = c.SetWriteDeadline(past)
	}
	return h, <-sent, err
}

func (c *conn) writeRequest(p Post, length int64) error {
	c.out = append(append(c.out[:0], p.To.line...), p.With.lines...)
	c.out = append(c.out, "\r\nContent-Length: "...)
	c.out = strconv.AppendInt(c.out, length, 10)
	c.out = append(c.out, "\r\n\r\n"...)
	if length <= oneWrite {
		for _, piece := range p.Pieces {
			c.out = append(c.out, piece...)
		}
		n, err := c.Write(c.out)
		c.sentAny = n > 0
		return err
	}
	// WriteTo consumes the slice. One call sends the head and as much of the body as fits, so
	// that the upstream does not wake up for the head alone.
	left := append(net.Buffers{c.out}, p.Pieces...)
	n, err := left.WriteTo(c.Conn)
	c.sentAny = n > 0
	return err
}

// closeAfter closes the connection after a failed call and returns the error of the call. The
// error is an *Error if the upstream closed the connection after a byte of the request was
// written. reused means that the connection had served an earlier call.
func (c *conn) closeAfter(ctx context.Context, err error, reused bool) error {
	_ = c.Close()
	if !c.sentAny || ctx.Err() != nil || !isConnEnd(err) {
		return err
	}
	return lostError(err, reused && !c.receivedAny)
}

// isConnEnd reports whether err means that the upstream closed the connection.
func isConnEnd(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
