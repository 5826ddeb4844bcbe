package allinone

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedLog is a log that can be read while it is written.
type sharedLog struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *sharedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *sharedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// gatewayRun is a gateway with a browser that is signed in as the operator.
type gatewayRun struct {
	t       *testing.T
	base    string
	log     *sharedLog
	browser *http.Client
}

func startGateway(t *testing.T, args ...string) *gatewayRun {
	t.Helper()
	cfg, err := LoadConfig(append([]string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-format", "json"}, args...), nil)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	shown, out := io.Pipe()
	g := &gatewayRun{t: t, log: &sharedLog{}}
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cfg, nil, out, g.log) }()
	greeting := readGreeting(t, bufio.NewReader(shown))
	go func() { _, _ = io.Copy(io.Discard, shown) }()
	t.Cleanup(func() {
		g.browser.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
		_ = out.Close()
	})
	claim := regexp.MustCompile(`(http://\S+)/claim\?token=(\S+)`).FindStringSubmatch(greeting)
	require.NotNil(t, claim, greeting)
	g.base = claim[1]
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	g.browser = &http.Client{Jar: jar}
	g.call(http.MethodPost, "/api/v1/claim", `{"token":"`+claim[2]+`","email":"a@b.example","password":"a long password"}`)
	return g
}

func (g *gatewayRun) call(method, path, body string, headers ...string) string {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.base+path, strings.NewReader(body))
	require.NoError(g.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", g.base)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	res, err := g.browser.Do(req)
	require.NoError(g.t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(g.t, err)
	require.NoError(g.t, res.Body.Close())
	require.Less(g.t, res.StatusCode, 300, string(text))
	return string(text)
}

func (g *gatewayRun) warnings() []string {
	g.t.Helper()
	var system struct{ Warnings []string }
	require.NoError(g.t, json.Unmarshal([]byte(g.call(http.MethodGet, "/api/v1/system", "")), &system))
	require.NotNil(g.t, system.Warnings)
	return system.Warnings
}

// With open registration, a request that another machine may have sent is reported once in the log
// and on the page System.
func TestForwardedRequestsAreReported(t *testing.T) {
	for _, header := range [][2]string{{"X-Forwarded-For", "203.0.113.9"}, {"Forwarded", "for=203.0.113.9"}, {"Host", "box.example"}} {
		t.Run(header[0], func(t *testing.T) {
			g := startGateway(t)
			require.Contains(t, g.log.String(), "registration is open and new accounts have no budget: set --default-budget")
			g.call(http.MethodGet, "/health", "")
			require.Empty(t, g.warnings())
			require.NotContains(t, g.log.String(), "looks forwarded")
			for range 3 {
				g.call(http.MethodGet, "/health", "", header[0], header[1])
			}
			require.Equal(t, []string{forwardedWarning}, g.warnings())
			require.Equal(t, 1, strings.Count(g.log.String(), "looks forwarded"))
		})
	}
}

// Without open registration, forwarded requests are normal. With a budget, the start needs no warning.
func TestForwardedRequestsAreNormalWithoutOpenRegistration(t *testing.T) {
	g := startGateway(t, "--registration", "invite")
	g.call(http.MethodGet, "/health", "", "X-Forwarded-For", "203.0.113.9")
	require.Empty(t, g.warnings())
	require.NotContains(t, g.log.String(), "forwarded")
	require.NotContains(t, g.log.String(), "--default-budget")
	require.NotContains(t, startGateway(t, "--default-budget", "5").log.String(), "--default-budget")
}
