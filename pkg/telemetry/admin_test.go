package telemetry

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
)

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

func TestAdmin(t *testing.T) {
	tel, _ := start(t, Config{Service: "proxy"})
	ready := health.New()
	ready.Drain()
	srv := httptest.NewServer(NewAdminHandler(ready, tel.MetricsHandler()))
	defer srv.Close()
	tests := []struct {
		path   string
		status int
		want   string
	}{
		{"/metrics", 200, "go_goroutines"},
		{"/health", 200, `"status":"ok"`},
		{"/readyz", 503, `"status":"draining"`},
		{"/debug/pprof/", 200, "goroutine"},
		{"/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"/debug/pprof/symbol", 200, "num_symbols"},
		{"/debug/pprof/cmdline", 404, ""},
		{"/", 404, `"code":"ENDPOINT_NOT_FOUND"`},
		{"/metrics/more", 404, `"code":"ENDPOINT_NOT_FOUND"`},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			resp, body := get(t, srv.URL+tt.path)
			require.Equal(t, tt.status, resp.StatusCode)
			require.Contains(t, body, tt.want)
		})
	}
}

func TestServeAdminUntilTheContextEnds(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	// The shutdown comes in the middle of a response, which must still arrive completely.
	go func() {
		served <- serveAdmin(ctx, lis, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			cancel()
			for nobodyListens := false; !nobodyListens; {
				conn, err := net.Dial("tcp", lis.Addr().String())
				nobodyListens = err != nil
				if err == nil {
					_ = conn.Close()
				}
			}
			_, _ = w.Write(make([]byte, 1<<20))
		}), time.Minute)
	}()
	resp, body := get(t, "http://"+lis.Addr().String())
	require.Equal(t, 200, resp.StatusCode)
	require.Len(t, body, 1<<20)
	require.NoError(t, <-served)
}

// The admin listener refuses ambiguous framing like all others.
func TestServeAdminRefusesAmbiguousFraming(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- ServeAdmin(ctx, lis, NewAdminHandler(health.New(), http.NotFoundHandler())) }()
	conn, err := net.Dial("tcp", lis.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "POST /health HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: h\r\n\r\n")
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, resp.StatusCode)
	require.True(t, resp.Close)
	_, _ = io.Copy(io.Discard, resp.Body)
	require.NoError(t, resp.Body.Close())
	_, err = http.ReadResponse(in, nil)
	require.Error(t, err, "nothing follows")
	require.NoError(t, conn.Close())
	cancel()
	require.NoError(t, <-served)
}

func TestServeAdminOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- ServeAdmin(ctx, nil, nil) }()
		synctest.Wait()
		require.Empty(t, served, "it waits")
		cancel()
		require.NoError(t, <-served)
	})
}
