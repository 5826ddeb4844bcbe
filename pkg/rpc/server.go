// Package rpc is gRPC between our services. It gives every server and client
// the same manners: errors keep their code and lose their cause, a panic is an
// answer, every call has a deadline, a stop is graceful, calls are traced, and
// a peer with a certificate calls what its role may. The manners are the same
// over the network and in memory, so a service cannot tell which one it runs
// on. It knows no service.
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
	// maxHeaders bounds metadata. Errors travel in it, and a refused policy
	// lists every problem, which gRPC's coming default of 8 KiB would cut.
	maxHeaders = 1 << 20
	// streamWindow and connWindow are how much may be under way unread. They
	// are fixed, because gRPC finds out better ones with a ping for every
	// message, and most of ours are smaller than the ping's cost.
	streamWindow = 1 << 20
	connWindow   = 4 << 20
	// maxStreams bounds what one peer may have running at a time.
	maxStreams = 1024
	// greeting is how long a peer may take until it has shown who it is.
	greeting = 10 * time.Second
	// defaultGrace is how long calls may go on after the stop was asked for.
	defaultGrace = 5 * time.Second
)

// ServerConfig is what a server needs; every field may be left out.
type ServerConfig struct {
	// Log gets the causes that are not sent, and who was refused by role or
	// certificate.
	Log *slog.Logger
	// Tracer records a span per call.
	Tracer trace.TracerProvider
	// Grace is how long running calls may take to finish; 5 s by default.
	Grace time.Duration
	// Identity switches mutual TLS on, except for who comes by ListenLocal;
	// without it the server speaks plaintext to anybody. See CheckPlaintext.
	Identity *certs.Identity
	// Allow says which roles may call a method, by its full name. With an
	// Identity, a method that is not in it is refused for everybody. Without
	// one, who comes over the network is refused what is the operator's alone,
	// and who comes from within the process nothing. Health is for all.
	Allow map[string][]string
	// Lanes are the streams, by the method's full name, that are also answered
	// on a lane. Each has what makes an Answer for a new stream.
	Lanes map[string]func() lane.Answer
}

// Server is a gRPC server with our manners.
type Server struct {
	grpc  *grpc.Server
	log   *slog.Logger
	grace time.Duration
	// secure is whether peers have roles, and allow who may call what.
	secure  bool
	allow   map[string][]string
	refused seldom
	lobby   lobby
	// lanes are what is answered on one, and running those that are open.
	lanes   map[string]func() lane.Answer
	running sync.WaitGroup
	// draining ends when the stop begins.
	draining context.Context
	drain    context.CancelFunc
	// over ends with the grace: then lanes are cut off.
	over context.Context
	cut  context.CancelFunc
}

// NewServer makes a server that answers health checks and nothing else yet.
func NewServer(cfg ServerConfig) *Server {
	s := &Server{log: cfg.Log, grace: cfg.Grace, secure: cfg.Identity != nil, allow: cfg.Allow, lanes: cfg.Lanes}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.grace == 0 {
		s.grace = defaultGrace
	}
	s.draining, s.drain = context.WithCancel(context.Background())
	s.over, s.cut = context.WithCancel(context.Background())
	s.grpc = grpc.NewServer(s.options(cfg)...)
	healthv1.RegisterHealthServer(s.grpc, health.NewServer())
	return s
}

func (s *Server) options(cfg ServerConfig) []grpc.ServerOption {
	opts := []grpc.ServerOption{
		grpc.Creds(s.credentials(cfg.Identity)),
		grpc.ConnectionTimeout(greeting),
		grpc.ChainUnaryInterceptor(s.unary),
		grpc.ChainStreamInterceptor(s.stream),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.ForceServerCodecV2(Codec()),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		// Half the clients' interval, so that none is cut off for its pings.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingEvery / 2, PermitWithoutStream: true}),
		// Finds clients that died without a word and frees their streams.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 3 * pingEvery, Timeout: pingEvery}),
	}
	if h := serverTracing(cfg.Tracer); h != nil {
		opts = append(opts, grpc.StatsHandler(h))
	}
	return opts
}

// Registrar is where services are registered, before Serve.
func (s *Server) Registrar() grpc.ServiceRegistrar { return s.grpc }

// Serve answers on lis until ctx ends, and closes it. Then nothing new is
// taken, peers that have not finished their handshake are turned away, whoever
// watches the health is told, streams are told to end, and running calls may
// finish within the grace; nil means that all did. A server serves once.
func (s *Server) Serve(ctx context.Context, lis net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(&door{Listener: lis, lobby: &s.lobby}) }()
	select {
	case err := <-served:
		_ = s.stop()
		return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
	case <-ctx.Done():
	}
	if err := s.stop(); err != nil {
		return err
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve gRPC on %s: %w", lis.Addr(), err)
	}
	return nil
}

func (s *Server) stop() error {
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
		s.cut()
		s.grpc.Stop()
		return fmt.Errorf("calls were cut off %s after the stop began", s.grace)
	}
}
