package lane

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Answer answers a message, which may be kept. An error ends the stream.
type Answer func(message string) (Message, error)

// lastWords is how long the end of a stream may take to be said.
const lastWords = time.Second / 4

var (
	errPreface = errors.New("the client does not speak HTTP/2")
	errRequest = errors.New("the client began no stream")
)

// Serve answers the messages of one stream, in their order, until the client
// ends it, or ctx does. open is told the method; its error, a gRPC status, is
// the stream's. The caller has set a deadline for reading until which the client
// must have begun. The connection is closed when Serve returns.
func Serve(ctx context.Context, raw net.Conn, open func(method string) (Answer, error)) error {
	c := newConn(raw)
	c.alone = true
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() { _ = c.close(ErrClosed) }()
	// What is being answered is answered; the next read fails.
	stop := func() { _ = raw.SetReadDeadline(time.Unix(1, 0)) }
	defer context.AfterFunc(ctx, stop)()
	method, err := c.opened()
	if err != nil {
		return err
	}
	if _ = raw.SetReadDeadline(time.Time{}); ctx.Err() != nil {
		stop()
	}
	answer, err := open(method)
	if err != nil {
		return c.conclude(err, beginning...)
	}
	go c.attend(ctx)
	if err := c.write(func() error { return c.framer.WriteHeaders(headers(fields(beginning...), false)) }); err != nil {
		return err
	}
	err = c.serve(answer)
	if ctx.Err() != nil {
		err = status.Error(codes.Unavailable, "the server is stopping")
	}
	return c.conclude(err)
}

// opened reads up to the one stream's headers.
func (c *conn) opened() (method string, err error) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.raw, preface); err != nil || string(preface) != http2.ClientPreface {
		return "", errors.Join(errPreface, err)
	}
	if err := c.greet(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1}); err != nil {
		return "", err
	}
	for {
		f, err := c.framer.ReadFrame()
		if err != nil {
			return "", err
		}
		switch f := f.(type) {
		case *http2.DataFrame:
			return "", errStray
		case *http2.MetaHeadersFrame:
			if f.StreamID != id || f.StreamEnded() {
				return "", errRequest
			}
			return f.PseudoValue("path"), nil
		}
		if err := c.take(f, refuseHeads); err != nil {
			return "", err
		}
	}
}

// serve answers until there is nothing more to.
func (c *conn) serve(answer Answer) error {
	for {
		message, err := c.receive(refuseHeads)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := answer(string(message))
		if err != nil {
			return err
		}
		if err := c.send(m); err != nil {
			return err
		}
	}
}

// refuseHeads is for a client that has no more to say than it has said.
func refuseHeads(*http2.MetaHeadersFrame) error { return errRequest }

// conclude says how the stream has ended, and returns why. What begins a stream
// is said with it where that was not said before.
func (c *conn) conclude(why error, begin ...string) error {
	end := ending(status.Convert(why), begin...)
	c.hurry(lastWords)
	_ = c.write(func() error { return c.framer.WriteHeaders(headers(end, true)) })
	_ = c.write(func() error { return c.framer.WriteGoAway(id, http2.ErrCodeNo, nil) })
	c.seeOff()
	return why
}

// seeOff waits a moment for the client to leave: a connection that is closed
// while something comes loses what was sent last.
func (c *conn) seeOff() {
	_ = c.raw.SetReadDeadline(time.Now().Add(lastWords))
	if half, ok := c.raw.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, c.raw)
}
