package lane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
)

// Stream is the client's side.
type Stream struct {
	*conn
	cancel context.CancelCauseFunc
}

// Open begins a stream of the method on a connection, which is the stream's from
// then on, also if Open fails. The stream ends with ctx.
func Open(ctx context.Context, raw net.Conn, authority, method string) (*Stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{conn: newConn(raw), cancel: cancel}
	context.AfterFunc(ctx, func() { _ = s.close(context.Cause(ctx)) })
	if err := s.begin(authority, method); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	go s.attend(ctx)
	return s, nil
}

func (s *Stream) begin(authority, method string) error {
	_ = s.raw.SetReadDeadline(time.Now().Add(writeLimit))
	err := s.write(func() error {
		_, err := io.WriteString(s.raw, http2.ClientPreface)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.greet(http2.Setting{ID: http2.SettingEnablePush, Val: 0}); err != nil {
		return err
	}
	head := fields(":method", "POST", ":scheme", "https", ":path", method, ":authority", authority,
		"content-type", contentType, "te", "trailers", "user-agent", "signalbox")
	if err := s.write(func() error { return s.framer.WriteHeaders(headers(head, false)) }); err != nil {
		return err
	}
	return s.greeted()
}

// greeted waits for the server's settings, which are the first that it sends.
func (s *Stream) greeted() error {
	f, err := s.framer.ReadFrame()
	if err != nil {
		return err
	}
	settings, ok := f.(*http2.SettingsFrame)
	if !ok {
		return fmt.Errorf("the server does not speak HTTP/2: %v", f.Header())
	}
	_ = s.raw.SetReadDeadline(time.Time{})
	s.settings(settings)
	return nil
}

// Send sends a message. It is safe for concurrent use. It waits only when more
// is under way than the server has agreed to, or the system holds.
func (s *Stream) Send(m Message) error { return s.send(m) }

// Recv returns the next message, good until the next Recv. It ends with io.EOF,
// or with the server's status.
func (s *Stream) Recv() ([]byte, error) {
	message, err := s.receive(verdict)
	if err == nil {
		return message, nil
	}
	why := s.fail(ErrClosed)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // by this side, which knows the reason
		err = why
	}
	return nil, err
}

// CloseSend tells the server that nothing more comes.
func (s *Stream) CloseSend() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.write(func() error { return s.framer.WriteData(id, true, nil) })
}

// Close ends the stream and the connection.
func (s *Stream) Close() error {
	s.cancel(ErrClosed)
	return s.close(ErrClosed)
}
