package httpserver_test

import (
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/httpserver"
)

// requestTexts are what clients send over one connection, with the number of requests that a handler
// receives.
var requestTexts = map[string]struct {
	text   string
	served int
}{
	"one":                      {"GET /a?b=c HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n", 1},
	"pipelined":                {"GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhiGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 3},
	"chunked":                  {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nA: b\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 2},
	"bare line feeds":          {"GET / HTTP/1.1\nHost: h\nA: b\n\nGET /c HTTP/1.1\nHost: h\n\n", 2},
	"empty lines":              {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 2},
	"close":                    {"GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"HTTP/1.0":                 {"GET / HTTP/1.0\r\n\r\nGET /c HTTP/1.0\r\n\r\n", 1},
	"HTTP/1.0, kept":           {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /c HTTP/1.0\r\n\r\n", 2},
	"absolute target":          {"GET http://other:1/x HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"options":                  {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"connect":                  {"CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n", 1},
	"repeated headers":         {"GET / HTTP/1.1\r\nHost: h\r\nx-a: 1\r\nX-A:\t2 \r\nX-B:\r\n\r\n", 1},
	"other methods":            {"M-SEARCH / HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"expectation":              {"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nxGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 2},
	"short body":               {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx", 1},
	"short chunk":              {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nx", 1},
	"bad chunk":                {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhiX0\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"bad trailer":              {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nnone\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"bare trailer end":         {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n", 1},
	"empty line at the start":  {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
	"length and encoding":      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0},
	"signed length":            {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx", 0},
	"empty length":             {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\nx", 0},
	"encoding of another case": {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chun\u212aed\r\n\r\n0\r\n\r\n", 0},
	"encoding that is a list":  {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 0},
	"folded":                   {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", 0},
	"carriage return":          {"GET / HTTP/1.1\r\nHost: h\r\nA: b\rc: d\r\n\r\n", 0},
	"spaces in the first line": {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
	"no header name":           {"GET / HTTP/1.1\r\nHost: h\r\n: b\r\n\r\n", 0},
}

// FuzzSameAsNetHTTP sends the same bytes to this server and to net/http's. A handler must receive the
// same requests with the same bodies, until this server rejects one: it is stricter, because load
// balancers may find another end of a faulty request.
func FuzzSameAsNetHTTP(f *testing.F) {
	for _, tt := range requestTexts {
		f.Add(tt.text, uint16(0))
		f.Add(tt.text, uint16(30))
	}
	both := startBoth(f)
	f.Fuzz(func(t *testing.T, text string, split uint16) { both.check(t, text, int(split)) })
}

func TestRequestsAreTheSameAsNetHTTPs(t *testing.T) {
	both := startBoth(t)
	for name, tt := range requestTexts {
		for split := range len(tt.text) {
			require.Len(t, both.check(t, tt.text, split), tt.served, name)
		}
	}
}

// bothServers are this server and net/http's. Each records what its handler receives.
type bothServers struct{ ours, theirs *recorder }

func startBoth(tb testing.TB) bothServers {
	both := bothServers{newRecorder(tb), newRecorder(tb)}
	theirs := &http.Server{
		Handler: both.theirs, ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0), DisableGeneralOptionsHandler: true,
	}
	go func() { _ = theirs.Serve(both.theirs.lis) }()
	tb.Cleanup(func() { _ = theirs.Close() })
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- httpserver.Serve(ctx, both.ours.lis, httpserver.Config{Handler: both.ours, Log: slog.New(slog.DiscardHandler), DrainLimit: patience})
	}()
	tb.Cleanup(func() { stop(); <-ended })
	return both
}

// check returns what this server received.
func (b bothServers) check(t *testing.T, text string, split int) []seenRequest {
	want, got := b.theirs.receive(t, text, split), b.ours.receive(t, text, split)
	require.LessOrEqual(t, len(got), len(want), "%q", text)
	for i, r := range got {
		if !r.isComplete { // this server may reject a body, too
			require.Len(t, got, i+1, "%q", text)
			require.True(t, strings.HasPrefix(want[i].body, r.body), "%q", text)
			r.body, r.isComplete = want[i].body, want[i].isComplete
		}
		require.Equal(t, want[i], r, "%q", text)
	}
	return got
}

// seenRequest is what a handler receives.
type seenRequest struct {
	method, uri, path, host, proto, body string
	header                               http.Header
	length                               int64
	encoding                             []string
	isComplete                           bool
}

type recorder struct {
	lis  net.Listener
	mu   sync.Mutex
	seen []seenRequest
}

func newRecorder(tb testing.TB) *recorder {
	lis, err := net.Listen("unix", filepath.Join(tb.TempDir(), "s"))
	require.NoError(tb, err)
	return &recorder{lis: lis}
}

// ServeHTTP records the request.
func (h *recorder) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	r.Header.Del("Trailer") // net/http removes it; no handler uses it
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, seenRequest{
		method: r.Method, uri: r.RequestURI, path: r.URL.String(), host: r.Host, proto: r.Proto, header: r.Header,
		length: r.ContentLength, encoding: r.TransferEncoding, body: string(b), isComplete: err == nil,
	})
}

// receive sends the text in two parts over a new connection. It returns what the handler received until
// the server closed the connection.
func (h *recorder) receive(t *testing.T, text string, split int) []seenRequest {
	conn, err := net.Dial("unix", h.lis.Addr().String())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	at := split % max(1, len(text))
	_, _ = io.WriteString(conn, text[:at]) // the server may have closed the connection
	_, _ = io.WriteString(conn, text[at:])
	_ = conn.(*net.UnixConn).CloseWrite()
	_, err = io.Copy(io.Discard, conn)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := h.seen
	h.seen = nil
	return seen
}
