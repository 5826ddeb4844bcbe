// Package rpc configures gRPC between the services. Server and Dial give every service
// the same behaviour: errors keep their code and lose their cause, panics become errors,
// every call has a deadline, shutdown is graceful, calls are traced, and a peer with a
// certificate may call only what its role allows. It works the same over the network, a
// local socket and in memory (Memory). The package knows no service.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/lane"
)

const (
	// maxMessage bounds one message; the largest are policy snapshots.
	maxMessage = 8 << 20
	// maxHeaders bounds metadata. Errors travel in it, and an invalid policy lists every
	// problem, which would exceed gRPC's future default of 8 KiB.
	maxHeaders = 1 << 20
	// streamWindow and connWindow bound unread data. They are fixed, because gRPC's
	// automatic tuning sends a ping per message, and most messages here are smaller than
	// that.
	streamWindow = 1 << 20
	connWindow   = 4 << 20
	// maxStreams bounds the concurrent streams of one peer.
	maxStreams = 1024
	// handshakeTimeout is how long a peer may take to authenticate.
	handshakeTimeout = 10 * time.Second
	// defaultGrace is how long calls may continue after shutdown starts.
	defaultGrace = 5 * time.Second
)

// ServerConfig configures a server; every field is optional.
type ServerConfig struct {
	// Log receives causes that are not sent to callers, and callers rejected by role or
	// certificate.
	Log *slog.Logger
	// Tracer records a span per call.
	Tracer trace.TracerProvider
	// Grace is how long running calls may take to finish; the default is 5 s.
	Grace time.Duration
	// Identity enables mutual TLS, except for connections from ListenLocal. Without it
	// the server speaks plaintext to any client; see CheckPlaintext.
	Identity *certs.Identity
	// Allow lists, by full method name, the roles that may call it. With an Identity,
	// methods that are not listed are rejected. Without one, network callers cannot call
	// what only the operator may, and callers within the process may call everything.
	// Health checks are always allowed.
	Allow map[string][]string
	// Lanes lists, by full method name, the streams that are also served on a lane. Each
	// function returns the handler of a new stream.
	Lanes map[string]func() lane.Answer
}

// Server is a gRPC server with the behaviour of this package.
type Server struct {
	grpc  *grpc.Server
	log   *slog.Logger
	grace time.Duration
	// secure means that peers have roles; allow lists what roles may call.
	secure     bool
	allow      map[string][]string
	refusalLog logLimiter
	lobby      lobby
	// lanes are the methods served on a lane; running tracks the open ones.
	lanes   map[string]func() lane.Answer
	running sync.WaitGroup
	// draining is cancelled when shutdown starts.
	draining context.Context
	drain    context.CancelFunc
	// graceOver is cancelled when the grace period ends; then lanes are closed.
	graceOver context.Context
	cutOff    context.CancelFunc
}

// NewServer returns a server that serves only health checks until services are
// registered.
func NewServer(cfg ServerConfig) *Server {
	s := &Server{log: cfg.Log, grace: cfg.Grace, secure: cfg.Identity != nil, allow: cfg.Allow, lanes: cfg.Lanes}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.grace == 0 {
		s.grace = defaultGrace
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	s.graceOver, s.cutOff = context.WithCancel(context.Background())
	s.grpc = grpc.NewServer(s.serverOptions(cfg)...)
	healthv1.RegisterHealthServer(s.grpc, health.NewServer())
	return s
}

func (s *Server) serverOptions(cfg ServerConfig) []grpc.ServerOption {
	opts := []grpc.ServerOption{
		grpc.Creds(s.transportCredentials(cfg.Identity)),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.ChainUnaryInterceptor(s.handleUnary),
		grpc.ChainStreamInterceptor(s.handleStream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.ForceServerCodecV2(Codec()),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		// Half the clients' interval, so that no client is rejected for its pings.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingEvery / 2, PermitWithoutStream: true}),
		// Detects clients that died silently and frees their streams.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 3 * pingEvery, Timeout: pingEvery}),
	}
	if h := serverTracing(cfg.Tracer); h != nil {
		opts = append(opts, grpc.StatsHandler(h))
	}
	return opts
}

// Registrar registers services; it must be used before Serve.
func (s *Server) Registrar() grpc.ServiceRegistrar { return s.grpc }

// Serve serves lis until ctx is done, and closes it. Then the server accepts nothing new,
// rejects peers that have not finished their handshake, notifies health watchers, ends
// streams, and lets running calls finish within the grace period. It returns nil if all
// of them did. A server serves once.
func (s *Server) Serve(ctx context.Context, lis net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(&door{Listener: lis, lobby: &s.lobby}) }()
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
	s.lobby.close()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.grpc.GracefulStop()
		s.running.Wait()
	}()
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-finished:
		return nil
	case <-timer.C:
		s.cutOff()
		s.grpc.Stop()
		return fmt.Errorf("calls were aborted %s after shutdown started", s.grace)
	}
}
