package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// line is a connection on which a test writes raw bytes.
type line struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, addr net.Addr) *line {
	t.Helper()
	conn, err := net.Dial("tcp", addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return &line{t, conn, bufio.NewReader(conn)}
}

func (l *line) say(raw string) {
	l.t.Helper()
	_, err := io.WriteString(l.Conn, raw)
	require.NoError(l.t, err)
}

func (l *line) answer() (*http.Response, string) {
	l.t.Helper()
	res, err := http.ReadResponse(l.in, nil)
	require.NoError(l.t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(l.t, err)
	return res, string(body)
}

// head returns the head of a chat request.
func (g *rig) head(headers ...string) string {
	return "POST " + chatPath + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + g.key + "\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n"
}

// hold starts a request that stays in progress until its body is sent. The response to an earlier
// request on the connection proves that it has started.
func (g *rig) hold(size int) *line {
	g.t.Helper()
	l := dial(g.t, g.server.Listener.Addr())
	l.say(g.head("Expect: 100-continue", "Content-Length: "+strconv.Itoa(size)))
	status, err := l.in.ReadString('\n')
	require.NoError(g.t, err)
	require.Contains(g.t, status, "100 Continue", "the body is being read")
	_, err = l.in.ReadString('\n')
	require.NoError(g.t, err)
	return l
}

func zip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestCompressedBodies(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxBody = 64 << 10 })
	good := zip(t, hello)
	tests := []struct {
		name, body, encoding, code string
		status                     int
	}{
		{"gzip", good, "gzip", "", 200},
		{"old name, other case", good, "X-GZip", "", 200},
		{"with identity", good, "identity, gzip", "", 200},
		{"identity", hello, "identity", "", 200},
		{"bomb", zip(t, strings.Repeat(" ", 10<<20)), "gzip", "REQUEST_TOO_LARGE", 413},
		{"truncated", good[:len(good)-9], "gzip", "INVALID_REQUEST", 400},
		{"wrong sum", good[:len(good)-8] + "xxxxxxxx", "gzip", "INVALID_REQUEST", 400},
		{"no gzip", hello, "gzip", "INVALID_REQUEST", 400},
		{"empty", "", "gzip", "INVALID_REQUEST", 400},
		{"followed by something", good + "rest", "gzip", "INVALID_REQUEST", 400},
		{"twice", zip(t, good), "gzip, gzip", "UNSUPPORTED_MEDIA_TYPE", 415},
		{"deflate", good, "deflate", "UNSUPPORTED_MEDIA_TYPE", 415},
		{"brotli", good, "br", "UNSUPPORTED_MEDIA_TYPE", 415},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, body := g.call(http.MethodPost, chatPath, tt.body, "Content-Encoding: "+tt.encoding)
			require.Equal(t, tt.status, res.StatusCode, body)
			require.Equal(t, tt.code, res.Header.Get("X-Error-Code"))
			if tt.status == 415 {
				require.Contains(t, body, `"supported":["gzip","identity"]`)
			}
			if r := g.record(); tt.status == 200 {
				require.Equal(t, hello, string(r.GetContent().GetRequest()), "the captured text is the decompressed body")
			}
		})
	}
}

func TestContentTypes(t *testing.T) {
	g := newRig(t, nil)
	for kind, status := range map[string]int{
		"application/json": 200, "Application/JSON; charset=utf-8": 200, "application/json;": 200, "application/json; charset": 200,
		"text/json": 200, "application/vnd.x+json": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415, "application/jsonp": 415, ";": 415,
	} {
		res, body := g.call(http.MethodPost, chatPath, hello, "Content-Type: "+kind)
		require.Equal(t, status, res.StatusCode, "%s %s", kind, body)
		g.record()
	}
}

// A declared length above the limit is rejected before the body is read, an undeclared one as soon as
// it exceeds the limit.
func TestABodyOverTheLimit(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxBody = 1000 })
	chunks := strings.Repeat("1f4\r\n"+strings.Repeat(" ", 500)+"\r\n", 3)
	for name, raw := range map[string]string{
		"announced":      g.head("Content-Length: 1001"),
		"with a promise": g.head("Content-Length: 1001", "Expect: 100-continue"),
		"not announced":  g.head("Transfer-Encoding: chunked") + chunks,
	} {
		t.Run(name, func(t *testing.T) {
			l := dial(t, g.server.Listener.Addr())
			l.say(raw)
			res, body := l.answer()
			require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode, body)
			require.Contains(t, body, `"limit_bytes":1000`)
			require.EqualValues(t, 413, g.record().GetStatus())
		})
	}
	exact := hello + strings.Repeat(" ", 1000-len(hello))
	res, body := g.call(http.MethodPost, chatPath, exact)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
}

func TestABodyThatIsBrokenOnItsWay(t *testing.T) {
	g := newRig(t, nil)
	t.Run("bad chunk", func(t *testing.T) {
		l := dial(t, g.server.Listener.Addr())
		l.say(g.head("Transfer-Encoding: chunked") + "zz\r\n")
		res, body := l.answer()
		require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
		require.Equal(t, "INVALID_REQUEST", g.record().GetCode())
	})
	t.Run("too short", func(t *testing.T) {
		l := dial(t, g.server.Listener.Addr())
		l.say(g.head("Content-Length: 100") + "{")
		require.NoError(t, l.Conn.(*net.TCPConn).CloseWrite())
		res, body := l.answer()
		require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
		require.Contains(t, body, "ended early")
		require.Equal(t, "INVALID_REQUEST", g.record().GetCode())
	})
	t.Run("too slow", func(t *testing.T) {
		g := newRig(t, func(c *proxy.Config) { c.BodyTimeout = 100 * time.Millisecond })
		l := dial(t, g.server.Listener.Addr())
		l.say(g.head("Content-Length: 100") + "{")
		res, body := l.answer()
		require.Equal(t, http.StatusRequestTimeout, res.StatusCode, body)
		require.Equal(t, "REQUEST_TIMEOUT", res.Header.Get("X-Error-Code"))
		require.True(t, res.Close)
		require.Equal(t, "REQUEST_TIMEOUT", g.record().GetCode())
	})
}

func TestRequestsInFlightAreBounded(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests = 1 })
	held := g.hold(len(hello))
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode, body)
	require.Equal(t, "GATEWAY_OVERLOADED", res.Header.Get("X-Error-Code"))
	require.Equal(t, "true", res.Header.Get("X-Should-Retry"))
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	r := g.record()
	require.Equal(t, "GATEWAY_OVERLOADED", r.GetCode())
	require.Equal(t, recordv1.Outcome_OUTCOME_REJECTED, r.GetOutcome())
	for _, path := range []string{"/health", "/readyz"} {
		res, _ = g.call(http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, res.StatusCode, "health checks are always served")
	}

	held.say(hello)
	res, body = held.answer()
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Eventually(t, func() bool { // the slot is released after the response
		res, _ := g.call(http.MethodPost, chatPath, hello)
		return res.StatusCode == http.StatusOK
	}, patience, time.Millisecond)
}

func TestBytesInFlightAreBounded(t *testing.T) {
	// Buffers have 4, 16 or 64 KiB.
	g := newRig(t, func(c *proxy.Config) { c.MaxBody, c.MaxBytes = 10_000, 30_000 })
	held := g.hold(10_000)
	g.key = g.keyauth.add(&keyauthv1.KeySettings{})
	big := strings.Replace(hello, "hi", strings.Repeat("hi ", 2000), 1) // padding between tokens would occupy nothing
	for _, header := range []string{"A: b", "Content-Encoding: gzip"} {
		body := big
		if header != "A: b" {
			body = zip(t, big)
		}
		res, text := g.call(http.MethodPost, chatPath, body, header)
		require.Equal(t, http.StatusServiceUnavailable, res.StatusCode, text)
		require.Equal(t, "GATEWAY_OVERLOADED", g.record().GetCode())
	}
	res, text := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusOK, res.StatusCode, "what fits is served: %s", text)
	g.record()

	require.NoError(t, held.Close())
	require.Eventually(t, func() bool {
		res, _ := g.call(http.MethodPost, chatPath, big)
		return res.StatusCode == http.StatusOK
	}, patience, time.Millisecond)
}

// A large declared length reserves nothing, and a large body does not use up all memory.
func TestAKeyHasNoMoreThanItsShareOfTheMemory(t *testing.T) {
	const announced, piece = 1 << 20, 64 << 10
	g := newRig(t, func(c *proxy.Config) { c.MaxBody, c.MaxBytes = announced, 2*announced })
	first, other := g.key, g.keyauth.add(&keyauthv1.KeySettings{})
	for range announced / piece {
		g.hold(announced)
	}
	for key, status := range map[string]int{first: http.StatusServiceUnavailable, other: http.StatusOK} {
		g.key = key
		res, body := g.call(http.MethodPost, chatPath, hello)
		require.Equal(t, status, res.StatusCode, body)
		g.record()
	}
}

func TestAKeyHasNoMoreThanItsShareOfTheRequests(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests = 4 })
	first, other := g.key, g.keyauth.add(&keyauthv1.KeySettings{})
	held := g.hold(len(hello))
	g.hold(len(hello))
	for key, status := range map[string]int{first: http.StatusServiceUnavailable, other: http.StatusOK} {
		g.key = key
		res, body := g.call(http.MethodPost, chatPath, hello)
		require.Equal(t, status, res.StatusCode, body)
		g.record()
	}
	g.key = first
	require.NoError(t, held.Close())
	require.Eventually(t, func() bool {
		res, _ := g.call(http.MethodPost, chatPath, hello)
		return res.StatusCode == http.StatusOK
	}, patience, time.Millisecond)
}

func TestRequestsOfAKeyAreBounded(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.KeyRequests = 1 })
	first, other := g.key, g.keyauth.add(&keyauthv1.KeySettings{})
	held := g.hold(len(hello))
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode, body)
	require.Equal(t, "CONCURRENCY_LIMIT_EXCEEDED", res.Header.Get("X-Error-Code"))
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	require.Regexp(t, `"limit":\{"limit":1,"name":"concurrent_requests","remaining":0,"reset_at":"20[^"]+Z","scope":"key"\}`, body)
	require.Contains(t, body, "the key's limit of 1 concurrent request is reached", "as limits say it")
	require.Equal(t, recordv1.Outcome_OUTCOME_REJECTED, g.record().GetOutcome())

	g.key = other
	res, _ = g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusOK, res.StatusCode, "another key is not concerned")

	g.key = first
	held.say(hello)
	res, _ = held.answer()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Eventually(t, func() bool {
		res, _ = g.call(http.MethodPost, chatPath, hello)
		return res.StatusCode == http.StatusOK
	}, patience, time.Millisecond)
}

func TestLimitsThatContradictEachOther(t *testing.T) {
	for _, args := range [][]string{{"--max-bytes=1024", "--max-body=1024"}, {"--keepalive-every=0s"}} {
		cfg, err := proxy.LoadConfig(args, nil)
		require.NoError(t, err)
		_, err = proxy.New(cfg, proxy.Deps{})
		require.ErrorContains(t, err, args[0][:8])
	}
}

func TestTheBalancersWordOnTheClientsAddress(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.TrustedProxies = "127.0.0.0/8" })
	url := "http://" + g.listen().String() + chatPath
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(hello))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+g.key)
	req.Header.Set("X-Forwarded-For", "9.9.9.9, 203.0.113.7")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "203.0.113.7", g.record().GetClientAddress())
}

// A key's own limit replaces the default for all keys.
func TestAKeysOwnLimitOfConcurrentRequests(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.KeyRequests = 1 })
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Limits: &keyauthv1.Limits{ConcurrentRequests: 2}})
	held := g.hold(len(hello))
	g.hold(len(hello))
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode, body)
	require.Contains(t, body, `"limit":2`)
	held.say(hello)
	res, _ = held.answer()
	require.Equal(t, http.StatusOK, res.StatusCode)
}
