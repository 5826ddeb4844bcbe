package rpc

import (
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
	// pingEvery finds a peer that vanished without closing the connection; 10 s
	// is the least that gRPC allows.
	pingEvery   = 10 * time.Second
	pingTimeout = 3 * time.Second
	// maxBackoff is short because a proxy that cannot reach its control plane
	// serves from snapshots that age.
	maxBackoff = 2 * time.Second
)

// ClientConfig is what a client needs; every field may be left out.
type ClientConfig struct {
	// Tracer records a span per call.
	Tracer trace.TracerProvider
	// Timeout is for unary calls without a deadline; 10 s by default.
	Timeout time.Duration
	// Identity switches mutual TLS on.
	Identity *certs.Identity
	// Peer is the role that the server must have; an Identity needs it.
	Peer string
}

// Dial makes a connection to target (host:port) and does not wait for it: it
// connects when first used, and again, with backoff, whenever it broke. While
// it is broken, and as long as either side refuses the other's certificate,
// calls fail at once with codes.Unavailable. The caller closes it.
//
// Errors of the peer arrive as *apperr.Error; a passed deadline and a
// cancelled call satisfy errors.Is with context's errors.
func Dial(target string, cfg ClientConfig) (*grpc.ClientConn, error) {
	return dial(target, cfg)
}

func dial(target string, cfg ClientConfig, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	creds, err := clientCredentials(cfg)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}
	timeout := cfg.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	retry := backoff.DefaultConfig // which has jitter
	retry.BaseDelay, retry.MaxDelay = 100*time.Millisecond, maxBackoff
	opts := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithChainUnaryInterceptor(unaryClient(timeout)),
		grpc.WithChainStreamInterceptor(streamClient),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.ForceCodecV2(Codec())),
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

// Check reports whether the server at the other end answers. It is for
// readiness; ctx bounds it.
func Check(ctx context.Context, conn grpc.ClientConnInterface) error {
	r, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	if r.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		return fmt.Errorf("the server says %s", r.GetStatus())
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
		return incoming(invoke(ctx, method, req, reply, conn, opts...))
	}
}

func streamClient(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, incoming(err)
	}
	return &clientStream{s}, nil
}

// clientStream rebuilds the peer's error wherever it shows.
type clientStream struct{ grpc.ClientStream }

func (s *clientStream) RecvMsg(m any) error { return incoming(s.ClientStream.RecvMsg(m)) }

func (s *clientStream) SendMsg(m any) error { return incoming(s.ClientStream.SendMsg(m)) }
