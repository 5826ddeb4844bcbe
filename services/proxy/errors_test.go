package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// listen serves the edge like a real process, with its connection limits.
func (g *rig) listen() net.Addr {
	g.t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(g.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- httpserver.Serve(ctx, lis, g.svc.Server()) }()
	g.t.Cleanup(func() {
		cancel()
		require.NoError(g.t, <-done)
	})
	return lis.Addr()
}

// shaped checks the format that all errors share.
func shaped(t *testing.T, res *http.Response, body string) {
	t.Helper()
	require.Equal(t, "application/json", res.Header.Get("Content-Type"), body)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-7`, res.Header.Get("X-Request-Id"))
	require.Contains(t, []string{"true", "false"}, res.Header.Get("X-Should-Retry"))
	var got struct {
		Error, Code string
		Details     map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &got), body)
	require.NotEmpty(t, got.Error)
	require.Equal(t, res.Header.Get("X-Error-Code"), got.Code)
	require.Equal(t, res.Header.Get("X-Request-Id"), got.Details["request_id"])
	require.Equal(t, "https://box.example/docs/errors#"+got.Code, got.Details["docs"], "never built from the Host header")
}

func TestEveryErrorHasTheShape(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxHeader = 8 << 10 })
	addr := g.listen()
	tests := []struct {
		name, raw string
		status    int
	}{
		{"no HTTP", "hello\r\n\r\n", 400},
		{"no host", "GET / HTTP/1.1\r\n\r\n", 400},
		{"long headers", "GET / HTTP/1.1\r\nHost: h\r\nA: " + strings.Repeat("a", 9<<10) + "\r\n\r\n", 431},
		{"expectation", "POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nContent-Length: 0\r\n\r\n", 417},
		{"expectation of an old client", "POST / HTTP/1.0\r\nExpect: x\r\nContent-Length: 0\r\n\r\n", 417},
		{"options of nothing", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 404},
		{"unknown path", "GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 404},
		{"the vendor's path", "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 404},
		{"dots", "GET /proxy/v1/../v1/models HTTP/1.1\r\nHost: h\r\n\r\n", 404},
		{"method", "PUT " + chatPath + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 405},
		{"method of a probe", "POST /health HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 405},
		{"no key", "GET /proxy/v1/models HTTP/1.1\r\nHost: h\r\n\r\n", 401},
		{"no model", "GET /proxy/v1/models/none HTTP/1.1\r\nHost: h\r\nApi-Key: " + g.key + "\r\n\r\n", 404},
		{"no body", g.head("Content-Length: 0"), 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := dial(t, addr)
			l.say(tt.raw)
			res, body := l.answer()
			require.Equal(t, tt.status, res.StatusCode, body)
			shaped(t, res, body)
			if tt.status == http.StatusMethodNotAllowed {
				require.NotEmpty(t, res.Header.Get("Allow"))
			}
		})
	}
}

func TestConnectionsAreBoundedAndHealthIsNot(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxConnections = 1 })
	addr := g.listen()
	busy := dial(t, addr) // keeps the only connection slot
	body := strings.Replace(smallChat, "{", `{"stream":true,"x_sandbox":{"hang":true,"break_after":1,"chunk_ms":0},`, 1)
	busy.say(g.head("Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(body))) + body)
	started, err := http.ReadResponse(busy.in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, started.StatusCode)
	refused := dial(t, addr)
	refused.say("GET /proxy/v1/models HTTP/1.1\r\nHost: h\r\nApi-Key: " + g.key + "\r\n\r\n")
	res, text := refused.answer()
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	shaped(t, res, text)
	for _, path := range []string{"/health", "/readyz"} {
		l := dial(t, addr)
		l.say("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n")
		res, body := l.answer()
		require.Equal(t, http.StatusOK, res.StatusCode, body)
	}
}

func TestCredentials(t *testing.T) {
	g := newRig(t, nil)
	other := g.keyauth.add(&keyauthv1.KeySettings{Name: "other"})
	tests := []struct {
		name    string
		headers []string
		code    string
	}{
		{"scheme in any case", []string{"Authorization: bEaReR " + g.key}, ""},
		{"more spaces", []string{"Authorization:   Bearer \t  " + g.key + "  "}, ""},
		{"the same key twice", []string{"Authorization: Bearer " + g.key, "api-key: " + g.key, "X-API-Key: " + g.key}, ""},
		{"another scheme beside it", []string{"Authorization: Basic Zm9v", "api-key: " + g.key}, ""},
		{"two keys", []string{"Authorization: Bearer " + g.key, "x-api-key: " + other}, "INVALID_REQUEST"},
		{"two headers of one name", []string{"Authorization: Bearer " + g.key, "Authorization: Bearer " + other}, "INVALID_REQUEST"},
		{"no scheme", []string{"Authorization: " + g.key}, "AUTH_MISSING_KEY"},
		{"scheme that begins alike", []string{"Authorization: Bearers " + g.key}, "AUTH_MISSING_KEY"},
		{"quoted", []string{`Authorization: Bearer "` + g.key + `"`}, "AUTH_INVALID_KEY"},
		{"empty", []string{"api-key: "}, "AUTH_MISSING_KEY"},
		{"none", nil, "AUTH_MISSING_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := dial(t, g.server.Listener.Addr())
			l.say("GET /proxy/v1/models?api_key=" + g.key + " HTTP/1.1\r\nHost: h\r\n" + strings.Join(append(tt.headers, ""), "\r\n") + "\r\n")
			res, body := l.answer()
			require.Equal(t, tt.code, res.Header.Get("X-Error-Code"), body)
			if tt.code == "" {
				require.Equal(t, http.StatusOK, res.StatusCode)
				return
			}
			status := http.StatusUnauthorized
			if tt.code == "INVALID_REQUEST" {
				status = http.StatusBadRequest
			}
			require.Equal(t, status, res.StatusCode)
			shaped(t, res, body)
			require.NotContains(t, body, g.key[len("sbx_live_"):])
			require.NotContains(t, body, other[len("sbx_live_"):])
		})
	}
}

func TestTheNestedShapeIsAKeysSetting(t *testing.T) {
	g := newRig(t, nil)
	g.key = g.keyauth.add(&keyauthv1.KeySettings{ErrorFormat: keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI})
	_, body := g.call(http.MethodPost, chatPath, "{")
	require.True(t, strings.HasPrefix(body, `{"error":{"message":`), body)
	g.record()

	broken := `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],"x_sandbox":{"chunks":5,"break_after":2}}`
	_, body = g.call(http.MethodPost, chatPath, broken)
	require.Contains(t, body, "\n\ndata: {\"error\":{\"message\":")
	require.Contains(t, body, `"code":"PROVIDER_STREAM_INTERRUPTED"`)
}

// A keep-alive line commits the response. After it, errors are frames, and no header names a
// candidate that did not serve.
func TestErrorsAfterAKeepAlive(t *testing.T) {
	released := make(chan struct{})
	up := scriptedtest.New(t, func(scriptedtest.Received) scripted.Response {
		select {
		case <-released:
		case <-time.After(patience):
		}
		return scripted.JSON(http.StatusServiceUnavailable, `{}`)
	})
	g := newRigOf(t, fmt.Sprintf(wirePolicy, up.URL), keepAliveSoon, func(c *proxy.Config) { c.PublicURL = "https://box.example" })
	l := dial(t, g.server.Listener.Addr())
	request := stream("")
	l.say(g.head("Connection: close", "Content-Length: "+strconv.Itoa(len(request))) + request)
	res, err := http.ReadResponse(l.in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "text/event-stream; charset=utf-8", res.Header.Get("Content-Type"))
	for _, name := range []string{"Model", "Provider", "Route"} {
		require.NotContains(t, res.Header, "X-Signalbox-"+name)
	}
	lines := bufio.NewReader(res.Body)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, ": keepalive\n", first)
	close(released)
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Regexp(t, `^(: keepalive\n)*data: \{"error":.*"code":"PROVIDER_OVERLOADED".*"docs":"https://box.example/docs/errors#PROVIDER_OVERLOADED".*\}\n\n$`, string(rest))
	r := g.record()
	require.Equal(t, recordv1.Outcome_OUTCOME_ERROR, r.GetOutcome())
	require.Equal(t, "PROVIDER_OVERLOADED", r.GetCode())
}

func keepAliveSoon(c *proxy.Config) {
	c.KeepAliveAfter, c.KeepAliveEvery = time.Millisecond, time.Millisecond
}

func TestAPlainResponseHasNoKeepAlives(t *testing.T) {
	g := newRig(t, keepAliveSoon)
	const late = `{"model":"auto","messages":[{"role":"user","content":"hi"}],"x_sandbox":{"delay_ms":100,"status":503}}`
	res, body := g.call(http.MethodPost, chatPath, late)
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	shaped(t, res, body)
}

func TestModelCards(t *testing.T) {
	g := newRig(t, nil)
	_, body := g.call(http.MethodGet, "/proxy/v1/models", "")
	var list struct {
		Object string
		Data   []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	require.Equal(t, "list", list.Object)
	cards := map[string]map[string]any{}
	for _, c := range list.Data {
		require.Equal(t, "model", c["object"])
		require.IsType(t, float64(0), c["created"])
		require.NotEmpty(t, c["owned_by"])
		cards[c["id"].(string)] = c
	}
	small := cards["sandbox-small"]
	require.Positive(t, small["context_length"])
	require.Equal(t, small["context_length"], small["max_model_len"])
	require.Regexp(t, `^0\.0*[1-9]`, small["pricing"].(map[string]any)["prompt"])
	require.Positive(t, cards["auto"]["context_length"], "the largest it may choose")

	for _, path := range []string{"sandbox-small", "sandbox/sandbox-small", "sandbox%2Fsandbox-small", "/sandbox-small/"} {
		res, body := g.call(http.MethodGet, "/proxy/v1/models/"+path, "")
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Contains(t, body, `"owned_by":"sandbox"`)
	}
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Models: []string{"sandbox/sandbox-small"}})
	_, body = g.call(http.MethodGet, "/proxy/v1/models", "")
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	require.Len(t, list.Data, 1)
	require.Equal(t, "sandbox/sandbox-small", list.Data[0]["id"])
	for path, status := range map[string]int{"sandbox%2Fsandbox-small": 200, "sandbox-small": 404, "sandbox/sandbox-large": 404} {
		res, _ := g.call(http.MethodGet, "/proxy/v1/models/"+path, "")
		require.Equal(t, status, res.StatusCode, path)
	}
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Scopes: []string{"chat"}})
	res, _ := g.call(http.MethodGet, "/proxy/v1/models", "")
	require.Equal(t, http.StatusForbidden, res.StatusCode)
}

// logLines collects the messages of log lines.
type logLines struct {
	slog.Handler
	lines chan string
}

func (l logLines) Enabled(context.Context, slog.Level) bool { return true }

func (l logLines) Handle(_ context.Context, r slog.Record) error {
	l.lines <- r.Message
	return nil
}

// A request without an accepted key has no record, but its log line obeys the same setting.
func TestRequestsWithoutAKeyAreLoggedLikeOthers(t *testing.T) {
	for setting, want := range map[string]int{"all": 1, "failed": 1, "none": 0} {
		log := logLines{Handler: slog.DiscardHandler, lines: make(chan string, 1000)}
		g := newLoggingRig(t, log, func(c *proxy.Config) { c.LogRequests = setting })
		res, _ := g.call("POST", "/proxy/v1/chat/completions", "{}", "Authorization: Bearer wrong")
		require.Equal(t, http.StatusUnauthorized, res.StatusCode)
		g.stop()
		close(log.lines)
		logged := 0
		for line := range log.lines {
			if line == "request" {
				logged++
			}
		}
		require.Equal(t, want, logged, setting)
	}
}
