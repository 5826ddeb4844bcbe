package control

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// serve runs the service at an address until stop is called.
func (k *keyauth) serve(t *testing.T, addr string) (at string, stop func()) {
	t.Helper()
	lis, err := net.Listen("tcp", addr)
	require.NoError(t, err)
	srv := rpc.NewServer(rpc.ServerConfig{})
	keyauthv1.RegisterKeyAuthServiceServer(srv.Registrar(), k)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, lis) }()
	return lis.Addr().String(), func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

// A failed call proves that the connection was lost before the service came back.
func TestAnUnknownKeyRidesOutARestart(t *testing.T) {
	svc := &keyauth{}
	addr, stop := svc.serve(t, "127.0.0.1:0")
	conn, err := rpc.Dial(addr, rpc.ClientConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	client := &watchedKeys{Keys: NewKeys(keyauthv1.NewKeyAuthServiceClient(conn), slog.New(slog.DiscardHandler)), failed: make(chan struct{}, 100)}
	cache := keys.NewCache(client, time.Now)
	cache.SetTimeouts(keys.Timeouts{Lookup: patience}) // the machine may be slow
	_, err = cache.Resolve(t.Context(), apikey.New())
	require.NoError(t, err)

	stop()
	resolved := make(chan error, 1)
	go func() {
		_, err := cache.Resolve(t.Context(), apikey.New())
		resolved <- err
	}()
	<-client.failed
	_, stop = svc.serve(t, addr)
	require.NoError(t, <-resolved)
	stop()
}

// watchedKeys reports every failed call.
type watchedKeys struct {
	*Keys
	failed chan struct{}
}

func (k *watchedKeys) Verify(ctx context.Context, digest apikey.Digest) (*keys.Principal, error) {
	p, err := k.Keys.Verify(ctx, digest)
	if err != nil {
		k.failed <- struct{}{}
	}
	return p, err
}
