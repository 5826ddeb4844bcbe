package rpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// A watch of the health service shows what a load balancer would see.
func TestStopLetsARunningCallFinish(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		entered, release := make(chan struct{}), make(chan struct{})
		h.keys.verify = func(context.Context) error {
			close(entered)
			<-release
			return nil
		}
		watch, err := healthv1.NewHealthClient(h.conn).Watch(t.Context(), &healthv1.HealthCheckRequest{})
		require.NoError(t, err)
		requireHealth(t, watch, healthv1.HealthCheckResponse_SERVING)
		answered := make(chan error, 1)
		go func() { answered <- h.verify(context.Background()) }()
		<-entered

		h.stop()
		requireHealth(t, watch, healthv1.HealthCheckResponse_NOT_SERVING)
		select {
		case err := <-h.stopped:
			require.Fail(t, "stopped under a running call", "%v", err)
		default:
		}
		close(release)
		require.NoError(t, <-answered)
		require.NoError(t, <-h.stopped)
	})
}

func requireHealth(t *testing.T, w grpc.ServerStreamingClient[healthv1.HealthCheckResponse], want healthv1.HealthCheckResponse_ServingStatus) {
	t.Helper()
	got, err := w.Recv()
	require.NoError(t, err)
	require.Equal(t, want, got.GetStatus())
}

// A grace of one hour shows that streams do not use it up. The deadline of the client ends them
// if the server does not.
func TestStopEndsStreams(t *testing.T) {
	cfg := configs{server: rpc.ServerConfig{Grace: time.Hour}}
	onEachNetwork(t, cfg, func(t *testing.T, h *house) {
		h.keys.watch = func(s grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
			err := s.Send(&keyauthv1.WatchKeysResponse{})
			<-s.Context().Done()
			return err
		}
		h.router.decide = func(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
			for {
				if _, err := s.Recv(); err != nil {
					return err
				}
				if err := s.Send(&routerv1.DecideStreamResponse{}); err != nil {
					return err
				}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		watch, err := keyauthv1.NewKeyAuthServiceClient(h.conn).WatchKeys(ctx, &keyauthv1.WatchKeysRequest{})
		require.NoError(t, err)
		_, err = watch.Recv()
		require.NoError(t, err)
		bidi, err := routerv1.NewRouterServiceClient(h.conn).DecideStream(ctx)
		require.NoError(t, err)
		require.NoError(t, bidi.Send(&routerv1.DecideStreamRequest{}))
		_, err = bidi.Recv()
		require.NoError(t, err)

		h.stop()
		_, err = watch.Recv()
		require.Error(t, err)
		require.NotEqual(t, codes.DeadlineExceeded, status.Code(err), "the server ends the stream")
		_, err = bidi.Recv()
		require.Equal(t, codes.Unavailable, status.Code(err), "so that the client goes elsewhere")
		require.NoError(t, <-h.stopped)
		require.Empty(t, h.log.String())
	})
}

func TestStopIsBounded(t *testing.T) {
	cfg := configs{server: rpc.ServerConfig{Grace: 10 * time.Millisecond}}
	onEachNetwork(t, cfg, func(t *testing.T, h *house) {
		entered := make(chan struct{})
		h.keys.verify = func(ctx context.Context) error {
			close(entered)
			<-ctx.Done()
			return ctx.Err()
		}
		answered := make(chan error, 1)
		go func() { answered <- h.verify(context.Background()) }()
		<-entered
		h.stop()
		require.ErrorContains(t, <-h.stopped, "were aborted")
		require.Equal(t, codes.Unavailable, status.Code(<-answered))
	})
}

func TestServeSaysWhyItCannot(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, lis.Close())
	err = rpc.NewServer(rpc.ServerConfig{}).Serve(t.Context(), lis)
	require.ErrorContains(t, err, lis.Addr().String())
}

func TestServeOfAnEndedContextIsAStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, rpc.NewServer(rpc.ServerConfig{}).Serve(ctx, rpc.NewMemory().Listener()))
}

func TestCallsAreTracedThrough(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	cfg := configs{server: rpc.ServerConfig{Tracer: tracer}, client: rpc.ClientConfig{Tracer: tracer}}
	onEachNetwork(t, cfg, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error { return nil }
		ctx, root := tracer.Tracer("test").Start(t.Context(), "root")
		require.NoError(t, h.verify(ctx))
		h.stop()
		require.NoError(t, <-h.stopped)
		var names []string
		for _, s := range spans.Ended() {
			if s.SpanContext().TraceID() == root.SpanContext().TraceID() {
				names = append(names, s.SpanKind().String())
			}
		}
		require.ElementsMatch(t, []string{"client", "server"}, names)
	})
}
