package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/lane"
)

// laneBuffer is what the system takes of a lane before whoever sends has to
// wait, however slow the server is.
const laneBuffer = 256 << 10

// Lane is one stream with a connection of its own, for Messages alone. See
// package lane.
type Lane struct{ stream *lane.Stream }

// OpenLane connects and begins a stream of the method, which ends with ctx. A
// server that does not know lanes answers as it does all clients.
func OpenLane(ctx context.Context, target string, cfg ClientConfig, method string) (*Lane, error) {
	if cfg.Identity == nil {
		return nil, errors.New("a lane needs an identity")
	}
	config := cfg.Identity.ClientTLS(cfg.Peer)
	config.NextProtos = []string{lane.Protocol, "h2"}
	config.DynamicRecordSizingDisabled = true
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: maxBackoff}, Config: config}
	within, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn, err := dialer.DialContext(within, "tcp", target)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}
	if secured, ok := conn.(*tls.Conn); ok {
		if tcp, ok := secured.NetConn().(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(laneBuffer)
		}
	}
	stream, err := lane.Open(ctx, conn, target, method)
	if err != nil {
		return nil, fromPeerError(err)
	}
	return &Lane{stream}, nil
}

// SendMsg sends a Message. It is safe for concurrent use.
func (l *Lane) SendMsg(m any) error {
	message, ok := m.(Message)
	if !ok {
		return fmt.Errorf("%T is no message of a lane", m)
	}
	return fromPeerError(l.stream.Send(message))
}

// RecvMsg waits for the next message.
func (l *Lane) RecvMsg(m any) error {
	message, ok := m.(Message)
	if !ok {
		return fmt.Errorf("%T is no message of a lane", m)
	}
	data, err := l.stream.Recv()
	if err != nil {
		return fromPeerError(err)
	}
	return message.ReadMessage(string(data))
}

// CloseSend tells the server that nothing more comes.
func (l *Lane) CloseSend() error { return l.stream.CloseSend() }

// Close ends the stream.
func (l *Lane) Close() error { return l.stream.Close() }

// offering adds lanes to what a server speaks.
func offering(config *tls.Config) *tls.Config {
	inner := config.GetConfigForClient
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		c, err := inner(hello)
		if err == nil {
			c.NextProtos = append(c.NextProtos, lane.Protocol)
			c.DynamicRecordSizingDisabled = true
		}
		return c, err
	}
	return config
}

// taken serves a connection that wants to be a lane, and tells whether it was
// one.
func (s *Server) taken(raw, conn net.Conn, info credentials.AuthInfo) bool {
	if secured, ok := info.(credentials.TLSInfo); !ok || secured.State.NegotiatedProtocol != lane.Protocol {
		return false
	}
	if n, ok := raw.(*newcomer); ok {
		n.dispatch()
	}
	s.running.Go(func() { s.lane(conn, info) })
	return true
}

func (s *Server) lane(conn net.Conn, info credentials.AuthInfo) {
	ctx := peer.NewContext(s.draining, &peer.Peer{Addr: conn.RemoteAddr(), LocalAddr: conn.LocalAddr(), AuthInfo: info})
	defer context.AfterFunc(s.graceOver, func() { _ = conn.Close() })()
	_ = conn.SetReadDeadline(time.Now().Add(handshakeTimeout))
	err := lane.Serve(ctx, conn, func(method string) (lane.Answer, error) {
		if err := s.admit(ctx, method); err != nil {
			return nil, err
		}
		open, ok := s.lanes[method]
		if !ok {
			return nil, status.Error(codes.Unimplemented, "there is no lane of this method")
		}
		return s.guarded(ctx, method, open()), nil
	})
	if err != nil && s.draining.Err() == nil {
		s.log.Debug("a lane has ended", "role", CallerRole(ctx), "error", err)
	}
}

// guarded makes a panic the end of the stream.
func (s *Server) guarded(ctx context.Context, method string, answer lane.Answer) lane.Answer {
	return func(message string) (m lane.Message, err error) {
		err = recoverPanic(func() (err error) {
			m, err = answer(message)
			return err
		})
		if err != nil {
			err = s.toClientError(ctx, method, err)
		}
		return m, err
	}
}
