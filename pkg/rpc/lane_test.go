package rpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/lane"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

const decideStream = routerv1.RouterService_DecideStream_FullMethodName

// laneHouse is a router over loopback TCP. It also serves lanes if answer is not nil.
func laneHouse(t *testing.T, answer lane.Answer) (h *house, dir, addr string) {
	t.Helper()
	dir = newCA(t, certs.Router, certs.Proxy, certs.Dashboard)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cfg := configs{server: rpc.ServerConfig{
		Identity: load(t, dir, certs.Router), Allow: map[string][]string{decideStream: {certs.Proxy}},
	}}
	if answer != nil {
		cfg.server.Lanes = map[string]func() lane.Answer{decideStream: func() lane.Answer { return answer }}
	}
	conn, err := rpc.Dial(lis.Addr().String(), rpc.ClientConfig{Identity: load(t, dir, certs.Proxy), Peer: certs.Router})
	require.NoError(t, err)
	h = open(t, cfg, lis, conn)
	h.router.decide = func(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
		var w word
		for {
			if err := s.RecvMsg(&w); err != nil {
				return err
			}
			w = "gRPC " + w
			if err := s.SendMsg(&w); err != nil {
				return err
			}
		}
	}
	return h, dir, lis.Addr().String()
}

func onLane(message string) (lane.Message, error) { return new(word("lane " + message)), nil }

func openLane(t *testing.T, dir, role, addr string) (*rpc.Lane, error) {
	t.Helper()
	l, err := rpc.OpenLane(t.Context(), addr, rpc.ClientConfig{Identity: load(t, dir, role), Peer: certs.Router}, decideStream)
	if err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}
	return l, err
}

func say(t *testing.T, s interface {
	SendMsg(m any) error
	RecvMsg(m any) error
}, text word,
) word {
	t.Helper()
	require.NoError(t, s.SendMsg(&text))
	require.NoError(t, s.RecvMsg(&text))
	return text
}

// One port serves lanes and, for the same method, gRPC's own streams.
func TestALaneAndAStreamShareAPort(t *testing.T) {
	h, dir, addr := laneHouse(t, onLane)
	l, err := openLane(t, dir, certs.Proxy, addr)
	require.NoError(t, err)
	require.Equal(t, word("lane a"), say(t, l, "a"))
	s, err := routerv1.NewRouterServiceClient(h.conn).DecideStream(t.Context())
	require.NoError(t, err)
	require.Equal(t, word("gRPC b"), say(t, s, "b"))
	require.Equal(t, word("lane c"), say(t, l, "c"))
}

// A server without support for lanes, such as an older version, responds, too.
func TestALaneToAServerWithout(t *testing.T) {
	_, dir, addr := laneHouse(t, nil)
	l, err := openLane(t, dir, certs.Proxy, addr)
	require.NoError(t, err)
	require.Equal(t, word("gRPC a"), say(t, l, "a"))
}

func TestARoleMayNotOpenALane(t *testing.T) {
	h, dir, addr := laneHouse(t, onLane)
	l, err := openLane(t, dir, certs.Dashboard, addr)
	require.NoError(t, err, "the rejection arrives with the first response")
	require.Equal(t, apperr.AuthForbidden, apperr.CodeOf(l.RecvMsg(new(word))))
	require.Contains(t, h.log.String(), "call rejected")
}

func TestALaneNeedsTheServersRole(t *testing.T) {
	_, dir, addr := laneHouse(t, onLane)
	cfg := rpc.ClientConfig{Identity: load(t, dir, certs.Proxy), Peer: certs.Keyauth}
	_, err := rpc.OpenLane(t.Context(), addr, cfg, decideStream)
	require.ErrorContains(t, err, "router")
	_, err = rpc.OpenLane(t.Context(), addr, rpc.ClientConfig{}, decideStream)
	require.ErrorContains(t, err, "identity")
}

func TestAPanicEndsOneLane(t *testing.T) {
	h, dir, addr := laneHouse(t, func(message string) (lane.Message, error) {
		if message == "bad" {
			panic("very bad")
		}
		return onLane(message)
	})
	l, err := openLane(t, dir, certs.Proxy, addr)
	require.NoError(t, err)
	other, err := openLane(t, dir, certs.Proxy, addr)
	require.NoError(t, err)
	require.NoError(t, l.SendMsg(new(word("bad"))))
	require.Equal(t, apperr.Internal, apperr.CodeOf(l.RecvMsg(new(word))))
	require.Equal(t, word("lane a"), say(t, other, "a"))
	require.Contains(t, h.log.String(), "very bad")
}

// A stop ends lanes well within the grace, also one whose client says nothing.
func TestStopEndsLanes(t *testing.T) {
	h, dir, addr := laneHouse(t, onLane)
	l, err := openLane(t, dir, certs.Proxy, addr)
	require.NoError(t, err)
	require.Equal(t, word("lane a"), say(t, l, "a"))
	h.stop()
	require.Error(t, l.RecvMsg(new(word)))
	require.NoError(t, <-h.stopped)
	h.stopped <- nil
}

// After the grace period, all lanes are closed, even if a response is outstanding.
func TestAStopCutsLanesOff(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	dir := newCA(t, certs.Router, certs.Proxy)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := rpc.NewServer(rpc.ServerConfig{
		Identity: load(t, dir, certs.Router), Allow: map[string][]string{decideStream: {certs.Proxy}}, Grace: time.Millisecond,
		Lanes: map[string]func() lane.Answer{decideStream: func() lane.Answer {
			return func(message string) (lane.Message, error) {
				close(asked)
				<-release
				return onLane(message)
			}
		}},
	})
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Serve(ctx, lis) }()
	l, err := openLane(t, dir, certs.Proxy, lis.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.SendMsg(new(word("a"))))
	<-asked
	stop()
	require.ErrorContains(t, <-stopped, "were aborted")
	require.Error(t, l.RecvMsg(new(word)))
	close(release)
}

func TestALaneEndsWithItsContext(t *testing.T) {
	_, dir, addr := laneHouse(t, onLane)
	ctx, cancel := context.WithCancel(t.Context())
	l, err := rpc.OpenLane(ctx, addr, rpc.ClientConfig{Identity: load(t, dir, certs.Proxy), Peer: certs.Router}, decideStream)
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, l.RecvMsg(new(word)), context.Canceled)
}
