package rpc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/signalbox/signalbox/pkg/certs"
)

const (
	// pingEvery is how often the client checks that the peer still responds; 10 s is the
	// minimum of gRPC.
	pingEvery   = 10 * time.Second
	pingTimeout = 3 * time.Second
	// maxBackoff is short, because a proxy without its router and key service serves
	// from snapshots that become stale.
	maxBackoff = 2 * time.Second
)

// ClientConfig configures a client; every field is optional.
type ClientConfig struct {
	// Tracer records a span per call.
	Tracer trace.TracerProvider
	// Timeout applies to unary calls without a deadline; the default is 10 s.
	Timeout time.Duration
	// Identity enables mutual TLS.
	Identity *certs.Identity
	// Peer is the role that the server must have; it is required with an Identity.
	Peer string
}

// Dial returns a connection to target (host:port) without waiting for it. The connection
// opens on first use and reconnects with backoff. While it is down, or while either side
// rejects the other's certificate, calls fail at once with codes.Unavailable. The caller
// must close the connection.
//
// Errors of the peer arrive as *apperr.Error. An exceeded deadline matches
// context.DeadlineExceeded, and a cancelled call matches context.Canceled.
func Dial(target string, cfg ClientConfig) (*grpc.ClientConn, error) {
	return dial(target, cfg)
}

func dial(target string, cfg ClientConfig, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	creds, err := clientCredentials(cfg)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}
	retry := backoff.DefaultConfig // includes jitter
	retry.BaseDelay, retry.MaxDelay = 100*time.Millisecond, maxBackoff
	opts := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithChainUnaryInterceptor(unaryClient(cmp.Or(cfg.Timeout, defaultTimeout))),
		grpc.WithChainStreamInterceptor(streamClient),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithMaxHeaderListSize(maxHeaders),
		grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingEvery, Timeout: pingTimeout, PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: maxBackoff}),
	}
	if h := clientTracing(cfg.Tracer); h != nil {
		opts = append(opts, grpc.WithStatsHandler(h))
	}
	conn, err := grpc.NewClient(target, append(opts, more...)...)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}
	return conn, nil
}

// CheckServing returns an error unless the server is serving. Use it for readiness
// checks.
func CheckServing(ctx context.Context, conn grpc.ClientConnInterface) error {
	r, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	if r.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		return fmt.Errorf("server status is %s", r.GetStatus())
	}
	return nil
}

func unaryClient(timeout time.Duration) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, ok := ctx.Deadline(); !ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return fromPeerError(invoke(ctx, method, req, reply, conn, opts...))
	}
}

func streamClient(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, fromPeerError(err)
	}
	return &clientStream{s}, nil
}

// clientStream converts the peer's errors.
type clientStream struct{ grpc.ClientStream }

func (s *clientStream) RecvMsg(m any) error { return fromPeerError(s.ClientStream.RecvMsg(m)) }

func (s *clientStream) SendMsg(m any) error { return fromPeerError(s.ClientStream.SendMsg(m)) }
