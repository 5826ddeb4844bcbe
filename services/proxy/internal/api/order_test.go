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

// servers are the server of the proxy, which gathers writes, and one that does not.
var servers = map[string]func(ctx context.Context, lis net.Listener, h http.Handler){
	"of the proxy": func(ctx context.Context, lis net.Listener, h http.Handler) {
		_ = httpserver.Serve(ctx, lis, httpserver.Config{Handler: h, Log: slog.New(slog.DiscardHandler), DrainLimit: time.Minute})
	},
	"without a buffer": func(ctx context.Context, lis net.Listener, h http.Handler) {
		srv := &http.Server{Handler: h} //nolint:gosec // the peer is the test
		defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
		_ = srv.Serve(lis)
	},
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
		for server := range servers {
			t.Run(name+", server "+server, func(t *testing.T) {
				before := sentBeforeRecord(t, newRig(t), server, "/proxy/v1/chat/completions", tt.body, tt.last)
				require.Contains(t, before, tt.first)
			})
		}
	}
}

// The same holds for every protocol, whether the response is relayed or translated.
func TestTheRecordIsWrittenBeforeTheEndOfEveryProtocol(t *testing.T) {
	bodies := map[string]string{
		"chat":      `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`,
		"messages":  `{"model":"auto","max_tokens":2000,"messages":[{"role":"user","content":"hi"}]}`,
		"responses": `{"model":"auto","store":false,"input":[{"role":"user","content":"hi"}]}`,
		"gemini":    `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	}
	last := map[string]string{"chat": "[DONE]", "messages": "message_stop", "responses": "response.completed", "gemini": `"finishReason":"STOP"`}
	for _, u := range pairUpstreams {
		g := newPairRig(t, u)
		for i := range pairClients {
			c := &pairClients[i]
			for server := range servers {
				t.Run(c.name+" to "+u.name+", server "+server, func(t *testing.T) {
					g.restart()
					path, body := c.request(bodies[c.name], true)
					sentBeforeRecord(t, g.rig, server, path, body, last[c.name])
					g.restart()
					path, body = c.request(bodies[c.name], false)
					require.Empty(t, sentBeforeRecord(t, g.rig, server, path, body, "{"), "a plain response")
				})
			}
		}
	}
}

// sentBeforeRecord sends a request and returns the bytes that the server had sent when the
// record was written. They must not contain last, the end of the response.
func sentBeforeRecord(t *testing.T, g *rig, server, path, body, last string) (before string) {
	t.Helper()
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	lis := &sentBytes{Listener: raw}
	g.onFinish = func() { before = lis.String() }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		servers[server](ctx, lis, api.New(g.deps))
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+raw.Addr().String()+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Api-Key", "k")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Contains(t, all(t, res), last)
	require.NoError(t, res.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	stop()
	<-ended
	require.Len(t, g.records, 1)
	require.NotContains(t, before, last)
	return before
}
