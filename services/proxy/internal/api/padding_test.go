package api_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
)

// A request that is mostly padding is served, and holds little memory until its record is written.
func TestAPaddedRequestHoldsLittleMemory(t *testing.T) {
	g := newRig(t)
	g.deps.Limits.Body = 32 << 20
	g.deps.Gate = gate.New(gate.Limits{Bytes: 64 << 20})
	var held int64
	g.onFinish = func() { held = g.deps.Gate.Load().Bytes }
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- httpserver.Serve(ctx, lis, httpserver.Config{Handler: api.New(g.deps), Log: slog.New(slog.DiscardHandler), DrainLimit: time.Minute})
	}()
	body := `{"model":"auto",` + strings.Repeat(" ", 30<<20) + `"messages":[{"role":"user","content":"hi"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+lis.Addr().String()+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Api-Key", "k")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Contains(t, all(t, res), `"choices"`)
	require.NoError(t, res.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	stop()
	require.NoError(t, <-ended)
	require.LessOrEqual(t, held, int64(64<<10))
}
