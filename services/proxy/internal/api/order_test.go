package api_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
)

// sentBytes is a listener that notes what the server sends.
type sentBytes struct {
	net.Listener
	mu   sync.Mutex
	text strings.Builder
}

func (l *sentBytes) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &notedConn{Conn: c, to: l}, err
}

func (l *sentBytes) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

type notedConn struct {
	net.Conn
	to *sentBytes
}

func (c *notedConn) Write(b []byte) (int, error) {
	c.to.mu.Lock()
	c.to.text.Write(b)
	c.to.mu.Unlock()
	return c.Conn.Write(b)
}

// A client never has a whole response whose record could still be lost.
func TestTheRecordIsWrittenBeforeTheEndIsSent(t *testing.T) {
	const chat = `{"model":"auto","messages":[{"role":"user","content":"hi"}]`
	for name, tt := range map[string]struct{ body, first, last string }{
		"stream":        {chat + `,"stream":true}`, `"content"`, "[DONE]"},
		"broken stream": {chat + `,"stream":true,"x_sandbox":{"chunks":5,"break_after":2}}`, `"content"`, "PROVIDER_STREAM_INTERRUPTED"},
		"plain":         {chat + `}`, "", `"choices"`},
		"error":         {chat + `,"x_sandbox":{"status":400}}`, "", "PROVIDER_BAD_REQUEST"},
	} {
		for server, serve := range map[string]func(ctx context.Context, lis net.Listener, h http.Handler){
			"of the proxy": func(ctx context.Context, lis net.Listener, h http.Handler) {
				_ = httpserver.Serve(ctx, lis, httpserver.Config{Handler: h, Log: slog.New(slog.DiscardHandler), DrainLimit: time.Minute})
			},
			"without a buffer": func(ctx context.Context, lis net.Listener, h http.Handler) {
				srv := &http.Server{Handler: h} //nolint:gosec // the peer is the test
				defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
				_ = srv.Serve(lis)
			},
		} {
			t.Run(name+", server "+server, func(t *testing.T) {
				g := newRig(t)
				raw, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				lis := &sentBytes{Listener: raw}
				var before string
				g.onFinish = func() { before = lis.String() }
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					serve(ctx, lis, api.New(g.deps))
				}()
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+raw.Addr().String()+"/proxy/v1/chat/completions", strings.NewReader(tt.body))
				require.NoError(t, err)
				req.Header.Set("Api-Key", "k")
				res, err := http.DefaultClient.Do(req)
				require.NoError(t, err)
				require.Contains(t, all(t, res), tt.last)
				require.NoError(t, res.Body.Close())
				http.DefaultClient.CloseIdleConnections()
				stop()
				<-ended
				require.Len(t, g.records, 1)
				require.Contains(t, before, tt.first)
				require.NotContains(t, before, tt.last)
			})
		}
	}
}
