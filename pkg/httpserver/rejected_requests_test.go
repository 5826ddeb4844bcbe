package httpserver_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// say sends raw bytes over a new connection and reads one response.
func say(t *testing.T, s *server, raw string) *http.Response {
	t.Helper()
	conn := dial(t, s)
	_, err := conn.Write([]byte(raw))
	require.NoError(t, err)
	return read(t, bufio.NewReader(conn))
}

func dial(t *testing.T, s *server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.url[len("http://"):])
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

func read(t *testing.T, r *bufio.Reader) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	res.Body = io.NopCloser(strings.NewReader(string(b)))
	return res
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

var served = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "served "+r.URL.Path) })

// lateHeaders is a header timeout that expires in the test, but not before the client has sent what
// it sends. Tests that wait for it run in parallel.
const lateHeaders = 4 * time.Second

// Requests that no handler receives get an error in our format.
func TestWhatNoHandlerSees(t *testing.T) {
	t.Parallel()
	cfg := httpserver.Config{
		Handler: served, DrainLimit: patience, MaxHeader: 8 << 10, HeaderTimeout: patience,
		RequestID: func() string { return "id-1" },
	}
	s := serve(t, cfg)
	cfg.HeaderTimeout = lateHeaders
	hasty := serve(t, cfg)
	tests := []struct {
		name, raw, code, text string
		status                int
	}{
		{"no HTTP", "hello\r\n\r\n", "INVALID_REQUEST", "not valid HTTP", 400},
		{"bad escape", "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "INVALID_REQUEST", "not valid HTTP", 400},
		{"no host", "GET / HTTP/1.1\r\n\r\n", "INVALID_REQUEST", "missing required Host header", 400},
		{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "INVALID_REQUEST", "", 400},
		{"bad header", "GET / HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n", "INVALID_REQUEST", "", 400},
		{"NUL in a header", "GET / HTTP/1.1\r\nHost: h\r\nA: \x00\r\n\r\n", "INVALID_REQUEST", "", 400},
		{"two lengths", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "INVALID_REQUEST", "", 400},
		{"transfer encoding", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "INVALID_REQUEST", "transfer encoding", 400},
		{"HTTP/0.9", "GET / HTTP/0.9\r\nHost: h\r\n\r\n", "HTTP_VERSION_NOT_SUPPORTED", "HTTP/1.1", 505},
		{"HTTP/2.0", "POST / HTTP/2.0\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", "HTTP_VERSION_NOT_SUPPORTED", "HTTP/1.1", 505},
		{"HTTP/3.0", "GET / HTTP/3.0\r\nHost: h\r\n\r\n", "HTTP_VERSION_NOT_SUPPORTED", "HTTP/1.1", 505},
		{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP_VERSION_NOT_SUPPORTED", "HTTP/1.1", 505},
		{"no version", "GET / HTTP/x\r\nHost: h\r\n\r\n", "INVALID_REQUEST", "not valid HTTP", 400},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "INVALID_REQUEST", "http://", 400},
		{"headers too large", "GET / HTTP/1.1\r\nHost: h\r\nA: " + strings.Repeat("x", 9<<10) + "\r\n\r\n", "HEADERS_TOO_LARGE", `"limit_bytes":8192`, 431},
		{"expectation", "POST / HTTP/1.1\r\nHost: h\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\nx", "EXPECTATION_FAILED", "100-continue", 417},
		{"expectation of an old client", "POST / HTTP/1.0\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\nx", "EXPECTATION_FAILED", "100-continue", 417},
		{"headers without an end", "GET / HTTP/1.1\r\nHost: h\r\nA:", "REQUEST_TIMEOUT", "in time", 408},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := s
			if tt.code == "REQUEST_TIMEOUT" {
				s = hasty
			}
			res := say(t, s, tt.raw)
			text := body(t, res)
			require.Equal(t, tt.status, res.StatusCode, text)
			require.Equal(t, "application/json", res.Header.Get("Content-Type"))
			require.Equal(t, tt.code, res.Header.Get("X-Error-Code"))
			require.Equal(t, "id-1", res.Header.Get("X-Request-Id"))
			require.NotEmpty(t, res.Header.Get("X-Should-Retry"))
			require.True(t, res.Close)
			var got struct {
				Error, Code string
				Details     map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(text), &got), text)
			require.Equal(t, tt.code, got.Code)
			require.NotEmpty(t, got.Error)
			require.Contains(t, text, tt.text)
		})
	}
}

// The second request of a connection is rejected like the first.
func TestAConnectionIsWatchedAnew(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	for _, next := range []string{"GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "GET /b HTTP/1.1\r\nHost: h\r\n\r\n"} {
		_, err := conn.Write([]byte(next))
		require.NoError(t, err)
		require.Contains(t, body(t, read(t, r)), "served")
	}
	_, err := conn.Write([]byte("nonsense\r\n\r\n"))
	require.NoError(t, err)
	require.Equal(t, "INVALID_REQUEST", read(t, r).Header.Get("X-Error-Code"))
}

// So is one that starts in the same packet and stays incomplete.
func TestAPipelinedRequestIsTimedToo(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: lateHeaders})
	conn := dial(t, s)
	r := bufio.NewReader(conn)
	_, err := conn.Write([]byte("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHo"))
	require.NoError(t, err)
	require.Equal(t, "served /a", body(t, read(t, r)))
	require.Equal(t, "REQUEST_TIMEOUT", read(t, r).Header.Get("X-Error-Code"))
}

// Line breaks before a request that stays incomplete do not free it from the timeout, and line breaks
// alone are no request.
func TestLineBreaksBeforeARequest(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: lateHeaders})
	const post = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx\r\n"
	late, idle := dial(t, s), dial(t, s)
	_, err := late.Write([]byte(post + "\r\nGET /b HTT"))
	require.NoError(t, err)
	_, err = idle.Write([]byte(post))
	require.NoError(t, err)
	idleReader, lateReader := bufio.NewReader(idle), bufio.NewReader(late)
	require.Equal(t, "served /a", body(t, read(t, idleReader)))
	require.Equal(t, "served /a", body(t, read(t, lateReader)))
	require.Equal(t, "REQUEST_TIMEOUT", read(t, lateReader).Header.Get("X-Error-Code"))
	_, err = idle.Write([]byte("\r\n" + ask))
	require.NoError(t, err)
	require.Equal(t, "served /ask", body(t, read(t, idleReader)))
}

// A client that requests the OpenAI format gets it from the first error on.
func TestTheShapeThatWasAskedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: patience})
	hasty := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: lateHeaders})
	full := serve(t, httpserver.Config{Handler: held, DrainLimit: patience, MaxConns: 1})
	hold(t, full, 1)
	for _, tt := range []struct {
		name, raw string
		server    *server
		nested    bool
	}{
		{"a connection too many", "GET / HTTP/1.1\r\nHost: h\r\nX-Error-Format: openai\r\n\r\n", full, true},
		{"expectation", "POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nx-error-format:OpenAI \r\nContent-Length: 0\r\n\r\n", s, true},
		{"HTTP/2.0", "GET / HTTP/2.0\r\nHost: h\r\nX-Error-Format: openai\r\n\r\n", s, true},
		{"two hosts", "GET / HTTP/1.1\r\nX-Error-Format: openai\r\nHost: a\r\nHost: b\r\n\r\n", s, true},
		{"headers without an end", "GET / HTTP/1.1\r\nX-Error-Format: openai\r\nHost", hasty, true},
		{"another shape", "POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nX-Error-Format: xml\r\n\r\n", s, false},
		{"another header", "POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nA: X-Error-Format: openai\r\n\r\n", s, false},
		{"in the body", "POST / HTTP/1.1\r\nHost: h\r\nExpect: x\r\nContent-Length: 22\r\n\r\nX-Error-Format: openai", s, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := body(t, say(t, tt.server, tt.raw))
			require.Equal(t, tt.nested, strings.HasPrefix(text, `{"error":{"message":`), text)
		})
	}
}

func TestASilentConnectionIsClosedWithoutAWord(t *testing.T) {
	s := serve(t, httpserver.Config{Handler: served, DrainLimit: patience, HeaderTimeout: 50 * time.Millisecond})
	all, err := io.ReadAll(dial(t, s))
	require.NoError(t, err)
	require.Empty(t, all)
}
