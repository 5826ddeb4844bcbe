package keyauth_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth"
)

// BenchmarkVerifyCold measures how long a proxy waits for a key that is not in its
// cache: TCP, mutual TLS and the store.
func BenchmarkVerifyCold(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			cfg := keyauth.Config{Data: b.TempDir()}
			if name == "postgres" {
				cfg.Postgres = config.Secret(testenv.Postgres(b))
			}
			keys, digest := overTLS(b, cfg)
			b.Run("alone", func(b *testing.B) {
				for b.Loop() {
					verify(b, keys, digest)
				}
			})
			b.Run("parallel", func(b *testing.B) {
				b.SetParallelism(16)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						verify(b, keys, digest)
					}
				})
			})
		})
	}
}

func verify(b *testing.B, keys keyauthv1.KeyAuthServiceClient, digest []byte) {
	if _, err := keys.VerifyKey(b.Context(), &keyauthv1.VerifyKeyRequest{Digest: digest}); err != nil {
		b.Error(err)
	}
}

// overTLS starts the service as in production, with one key.
func overTLS(b *testing.B, cfg keyauth.Config) (keyauthv1.KeyAuthServiceClient, []byte) {
	dir, lis, made := secured(b, cfg)
	return keyauthv1.NewKeyAuthServiceClient(dial(b, dir, certs.Proxy, lis)), digest(made.GetKey())
}

// secured starts the service with mutual TLS and bootstraps the operator's account.
func secured(b testing.TB, cfg keyauth.Config) (string, net.Listener, *keyauthv1.BootstrapResponse) {
	dir := b.TempDir()
	require.NoError(b, certs.Write(dir, certs.Roles(), []string{"127.0.0.1"}, time.Now()))
	lis, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	svc, err := keyauth.New(b.Context(), cfg, keyauth.Deps{
		Listener: lis, Log: slog.New(slog.DiscardHandler), Identity: identity(b, dir, certs.Keyauth),
	})
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		require.NoError(b, <-ended)
		require.NoError(b, svc.Close())
	})
	made, err := keyauthv1.NewAccountServiceClient(dial(b, dir, certs.Operator, lis)).Bootstrap(b.Context(), &keyauthv1.BootstrapRequest{})
	require.NoError(b, err)
	return dir, lis, made
}

func identity(b testing.TB, dir, role string) *certs.Identity {
	id, err := certs.Load(dir, role)
	require.NoError(b, err)
	return id
}

func dial(b testing.TB, dir, role string, lis net.Listener) *grpc.ClientConn {
	conn, err := rpc.Dial(lis.Addr().String(), rpc.ClientConfig{Identity: identity(b, dir, role), Peer: certs.Keyauth})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, conn.Close()) })
	return conn
}
