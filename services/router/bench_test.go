package router_test

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

// BenchmarkDecideOverGRPC sends questions with 2 KB of text to a router on a loopback
// socket, one after the other: as unary calls, and over the stream that proxies use.
func BenchmarkDecideOverGRPC(b *testing.B) {
	client := overLoopback(b)
	text := strings.Repeat("Please explain how a railway signal box works. ", 43)
	b.Run("unary", func(b *testing.B) {
		r := askText(text)
		measure(b, func() error {
			_, err := client.Decide(b.Context(), r)
			return err
		})
	})
	b.Run("stream", func(b *testing.B) {
		stream, err := client.DecideStream(b.Context())
		require.NoError(b, err)
		q := &routerv1.DecideStreamRequest{Id: 1, Request: askText(text)}
		measure(b, func() error {
			if err := stream.Send(q); err != nil {
				return err
			}
			_, err := stream.Recv()
			return err
		})
	})
}

// measure reports p50 and p99 in addition to the mean.
func measure(b *testing.B, ask func() error) {
	took := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		began := time.Now()
		if err := ask(); err != nil {
			b.Fatal(err)
		}
		if len(took) < cap(took) {
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
}

func overLoopback(b *testing.B) routerv1.RouterServiceClient {
	lis, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	svc, err := router.New(b.Context(), router.Config{Data: b.TempDir()}, router.Deps{Listener: lis, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	conn, err := rpc.Dial(lis.Addr().String(), rpc.ClientConfig{})
	require.NoError(b, err)
	b.Cleanup(func() {
		require.NoError(b, conn.Close())
		stop()
		require.NoError(b, <-ended)
		require.NoError(b, svc.Close())
	})
	return routerv1.NewRouterServiceClient(conn)
}
