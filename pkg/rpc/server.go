// Package rpc configures gRPC between the services. Server and Dial give every service
// the same behaviour: errors keep their code and lose their cause, panics become errors,
// unary calls have a deadline, shutdown is graceful, calls are traced, and a peer with a
// certificate may call only what its role allows. Streams and health checks may run
// without a deadline. Connections use the network, a local socket, or memory within one
// process (Memory). The package does not depend on any service.
package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/telemetry"
)

const (
	// maxMessage bounds one message; the largest messages are policy snapshots.
	maxMessage = 8 << 20
	// maxHeaders bounds metadata. Errors are sent as metadata, and the error for an
	// invalid policy lists every problem. It can exceed gRPC's future default of 8 KiB.
	maxHeaders = 1 << 20
	// streamWindow and connWindow bound unread data. They are fixed, because gRPC's
	// automatic tuning sends a ping per message, and a ping is larger than most messages
	// here.
	streamWindow = 1 << 20
	connWindow   = 4 << 20
	// maxStreams bounds the concurrent streams of one peer.
	maxStreams = 1024
	// defaultHandshakeTimeout is how long a peer may take to authenticate. A graceful stop of gRPC
	// waits for unfinished handshakes, so the timeout is shorter than defaultGrace.
	defaultHandshakeTimeout = 3 * time.Second
	// defaultGrace is how long calls may continue after shutdown starts.
	defaultGrace = 5 * time.Second
)

// ServerConfig configures a server; every field is optional.
type ServerConfig struct {
	// Log receives the causes of errors, which are not sent to callers. It also receives
	// callers that were rejected by role or certificate.
	Log *slog.Logger
	// Tracer records a span per call.
	Tracer trace.TracerProvider
	// Histograms measures the duration of calls; nil does not.
	Histograms *telemetry.Histograms
	// Grace is how long running calls may take to finish; the default is 5 s.
	Grace time.Duration
	// HandshakeTimeout is how long a peer may take to authenticate; the default is 3 s. It must be
	// shorter than Grace.
	HandshakeTimeout time.Duration
	// Identity enables mutual TLS, except for connections from ListenLocal. Without it
	// the server speaks plaintext to any client; see CheckPlaintext.
	Identity *certs.Identity
	// Allow lists, by full method name, the roles that may call the method. With an
	// Identity, methods that are not listed are rejected. Without an Identity, network
	// callers cannot call methods that only the operator may call, and callers within the
	// process may call every method. Health checks are always allowed.
	Allow map[string][]string
}

// Server is a gRPC server with the behaviour of this package.
type Server struct {
	grpc  *grpc.Server
	log   *slog.Logger
	times *callTimes
	grace time.Duration
	// secure means that every network peer has a verified role.
	secure bool
	// allow lists the roles that may call each method.
	allow        map[string][]string
	rejectionLog logLimiter
	// draining is cancelled when shutdown starts.
	draining context.Context
	drain    context.CancelFunc
}

// NewServer returns a server that serves only health checks until services are
// registered.
func NewServer(cfg ServerConfig) *Server {
	s := &Server{log: cfg.Log, times: newCallTimes(cfg.Histograms), grace: cmp.Or(cfg.Grace, defaultGrace), secure: cfg.Identity != nil, allow: cfg.Allow}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	s.grpc = grpc.NewServer(s.serverOptions(cfg)...)
	healthv1.RegisterHealthServer(s.grpc, health.NewServer())
	return s
}

func (s *Server) serverOptions(cfg ServerConfig) []grpc.ServerOption {
	opts := []grpc.ServerOption{
		grpc.Creds(s.transportCredentials(cfg.Identity)),
		grpc.ConnectionTimeout(cmp.Or(cfg.HandshakeTimeout, defaultHandshakeTimeout)),
		grpc.ChainUnaryInterceptor(s.handleUnary),
		grpc.ChainStreamInterceptor(s.handleStream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		// The minimum is half the clients' interval, so that no client is rejected for its
		// pings.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingEvery / 2, PermitWithoutStream: true}),
		// These pings detect clients that died silently, and free their streams.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 3 * pingEvery, Timeout: pingEvery}),
	}
	if h := serverTracing(cfg.Tracer); h != nil {
		opts = append(opts, grpc.StatsHandler(h))
	}
	return opts
}

// Registrar registers services; it must be used before Serve.
func (s *Server) Registrar() grpc.ServiceRegistrar { return s.grpc }

// Serve serves lis until ctx is done, and closes it. On shutdown, the server accepts no
// new connections, notifies health watchers, and ends streams. Running calls and
// handshakes may finish within the grace period. Serve returns nil if all of them
// finished. A server can serve only once.
func (s *Server) Serve(ctx context.Context, lis net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(lis) }()
	select {
	case err := <-served:
		_ = s.shutDown()
		return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
	case <-ctx.Done():
	}
	if err := s.shutDown(); err != nil {
		return err
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
	}
	return nil
}

func (s *Server) shutDown() error {
	s.drain()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.grpc.GracefulStop()
	}()
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-finished:
		return nil
	case <-timer.C:
		s.grpc.Stop()
		return fmt.Errorf("calls were aborted %s after shutdown started", s.grace)
	}
}
