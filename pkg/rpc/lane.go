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

// laneBuffer is the size of the socket's send buffer. A sender waits only when the buffer
// is full, however slow the server is.
const laneBuffer = 256 << 10

// Lane is one stream of Messages that has its own connection. See package lane.
type Lane struct{ stream *lane.Stream }

// OpenLane connects and opens a stream of the method. The stream ends when ctx is done. A
// server without support for lanes responds as it does to any gRPC client.
func OpenLane(ctx context.Context, target string, cfg ClientConfig, method string) (*Lane, error) {
	if cfg.Identity == nil {
		return nil, errors.New("a lane requires an identity")
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

// CloseSend signals to the server that no more messages follow.
func (l *Lane) CloseSend() error { return l.stream.CloseSend() }

// Close ends the stream.
func (l *Lane) Close() error { return l.stream.Close() }

// offerLanes adds the lane protocol to the protocols that a server offers.
func offerLanes(config *tls.Config) *tls.Config {
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

// serveLane serves a connection that negotiated the lane protocol. It returns false for any
// other connection.
func (s *Server) serveLane(raw, conn net.Conn, info credentials.AuthInfo) bool {
	if secured, ok := info.(credentials.TLSInfo); !ok || secured.State.NegotiatedProtocol != lane.Protocol {
		return false
	}
	if n, ok := raw.(*pendingConn); ok {
		n.handOver()
	}
	s.running.Go(func() { s.runLane(conn, info) })
	return true
}

func (s *Server) runLane(conn net.Conn, info credentials.AuthInfo) {
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
		return s.recoverPanics(ctx, method, open()), nil
	})
	if err != nil && s.draining.Err() == nil {
		s.log.Debug("lane ended", "role", CallerRole(ctx), "error", err)
	}
}

// recoverPanics converts a panic to an error that ends the stream.
func (s *Server) recoverPanics(ctx context.Context, method string, answer lane.Answer) lane.Answer {
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
