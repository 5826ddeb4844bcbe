package rpc_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// keys and router respond with what a test sets.
type keys struct {
	keyauthv1.UnimplementedKeyAuthServiceServer
	verify func(ctx context.Context) error
	watch  func(stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error
}

func (k *keys) VerifyKey(ctx context.Context, _ *keyauthv1.VerifyKeyRequest) (*keyauthv1.VerifyKeyResponse, error) {
	return &keyauthv1.VerifyKeyResponse{}, k.verify(ctx)
}

func (k *keys) WatchKeys(_ *keyauthv1.WatchKeysRequest, s grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
	return k.watch(s)
}

// accounts has one method, which always succeeds.
type accounts struct {
	keyauthv1.UnimplementedAccountServiceServer
}

func (accounts) CreateKey(context.Context, *keyauthv1.CreateKeyRequest) (*keyauthv1.CreateKeyResponse, error) {
	return &keyauthv1.CreateKeyResponse{}, nil
}

type router struct {
	routerv1.UnimplementedRouterServiceServer
	decide func(stream grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error
}

func (r *router) DecideStream(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	return r.decide(s)
}

// house is a running server with a client.
type house struct {
	keys   *keys
	router *router
	conn   *grpc.ClientConn
	log    *logBook
	// identity is the server's, if it has one.
	identity *certs.Identity
	stop     context.CancelFunc
	// stopped receives the result of Serve.
	stopped chan error
}

func (h *house) verify(ctx context.Context) error {
	_, err := keyauthv1.NewKeyAuthServiceClient(h.conn).VerifyKey(ctx, &keyauthv1.VerifyKeyRequest{})
	return err
}

func (h *house) createKey(ctx context.Context) error {
	_, err := keyauthv1.NewAccountServiceClient(h.conn).CreateKey(ctx, &keyauthv1.CreateKeyRequest{})
	return err
}

func (h *house) watch(t *testing.T) grpc.ServerStreamingClient[keyauthv1.WatchKeysResponse] {
	s, err := keyauthv1.NewKeyAuthServiceClient(h.conn).WatchKeys(t.Context(), &keyauthv1.WatchKeysRequest{})
	require.NoError(t, err)
	return s
}

type configs struct {
	server rpc.ServerConfig
	client rpc.ClientConfig
}

// onEachNetwork runs the test in memory, over loopback TCP, and over a Unix socket joined to
// memory.
func onEachNetwork(t *testing.T, cfg configs, test func(t *testing.T, h *house)) {
	t.Run("memory", func(t *testing.T) {
		m := rpc.NewMemory()
		conn, err := m.Dial(cfg.client)
		require.NoError(t, err)
		test(t, open(t, cfg, m.Listener(), conn))
	})
	t.Run("tcp", func(t *testing.T) {
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		conn, err := rpc.Dial(lis.Addr().String(), cfg.client)
		require.NoError(t, err)
		test(t, open(t, cfg, lis, conn))
	})
	t.Run("socket", func(t *testing.T) {
		path := filepath.Join(shortDir(t), "box.sock")
		lis, err := rpc.ListenLocal(t.Context(), path)
		require.NoError(t, err)
		both := rpc.JoinListeners(rpc.NewMemory().Listener(), lis)
		conn, err := rpc.DialLocal(t.Context(), path, cfg.client)
		require.NoError(t, err)
		cfg.server.Allow = everything()
		test(t, open(t, cfg, both, conn))
	})
}

// everything allows an operator to call all methods of the house.
func everything() map[string][]string {
	allow := map[string][]string{}
	for _, m := range []string{
		keyauthv1.KeyAuthService_VerifyKey_FullMethodName, keyauthv1.KeyAuthService_WatchKeys_FullMethodName,
		keyauthv1.AccountService_CreateKey_FullMethodName, routerv1.RouterService_DecideStream_FullMethodName,
		routerv1.RouterService_Status_FullMethodName,
	} {
		allow[m] = []string{certs.Operator}
	}
	return allow
}

func open(t *testing.T, cfg configs, lis net.Listener, conn *grpc.ClientConn) *house {
	h := &house{keys: &keys{}, router: &router{}, conn: conn, log: &logBook{}, stopped: make(chan error, 1)}
	cfg.server.Log = slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	srv := rpc.NewServer(cfg.server)
	keyauthv1.RegisterKeyAuthServiceServer(srv.Registrar(), h.keys)
	keyauthv1.RegisterAccountServiceServer(srv.Registrar(), accounts{})
	routerv1.RegisterRouterServiceServer(srv.Registrar(), h.router)
	ctx, stop := context.WithCancel(t.Context())
	h.stop = stop
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.stopped <- srv.Serve(ctx, lis)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		_ = conn.Close()
	})
	return h
}

// logBook is a log that can be read while it is written.
type logBook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
