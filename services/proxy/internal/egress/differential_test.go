//go:build unix

package egress

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// maxText limits the length of a fuzzed response, so that one write delivers it.
const maxText = 8 << 10

// These seeds have up to three responses each. The server sends the first one in response to the
// first request, and so on.
var exchanges = map[string][3]string{
	"keep-alive":                    {plainAnswer, chunkedAnswer, plainAnswer},
	"keep-alive, errors":            {"HTTP/1.1 429 Slow\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", plainAnswer},
	"no body":                       {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
	"close":                         {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", plainAnswer, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx"},
	"until the end":                 {"HTTP/1.1 200 OK\r\n\r\nhello", "HTTP/1.0 200 OK\r\n\r\n", plainAnswer},
	"trailers":                      {strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n", 1), plainAnswer, strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\nX: 1\n\n", 1)},
	"announced trailer":             {"HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n", plainAnswer, ""},
	"broken trailer":                {strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\n \r\n\r\n", 1), strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\nno colon\r\n\r\n", 1), plainAnswer},
	"missing trailer":               {strings.TrimSuffix(chunkedAnswer, "\r\n"), strings.TrimSuffix(chunkedAnswer, "\r\n\r\n"), plainAnswer},
	"long trailer":                  {strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\n"+strings.Repeat("A: b\r\n", 40)+"\r\n", 1), plainAnswer, ""},
	"interim":                       {"HTTP/1.1 100 Continue\r\n\r\n" + plainAnswer, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + chunkedAnswer, plainAnswer},
	"many interim":                  {strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 30) + plainAnswer, plainAnswer, ""},
	"interim with length":           {"HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n" + plainAnswer, plainAnswer, ""},
	"interim alone":                 {"HTTP/1.1 100 Continue\r\n\r\n", plainAnswer, ""},
	"switching protocols":           {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n" + plainAnswer, plainAnswer, ""},
	"odd status":                    {"HTTP/1.1 099 Odd\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 000 Odd\r\n\r\n" + plainAnswer, "HTTP/1.1 999 Odd\r\nContent-Length: 5\r\n\r\nhello"},
	"bytes after the end":           {plainAnswer + "\r\n", plainAnswer + plainAnswer, chunkedAnswer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"},
	"bytes after no body":           {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx", plainAnswer},
	"bytes after a chunked 204":     {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", plainAnswer, plainAnswer},
	"bytes after the trailer":       {strings.Replace(chunkedAnswer, "0\r\n\r\n", "0\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\n", 1), plainAnswer, ""},
	"length and chunks":             {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", plainAnswer, ""},
	"two lengths":                   {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", plainAnswer},
	"cut":                           {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"},
	"nothing":                       {plainAnswer, "", plainAnswer},
	"no HTTP":                       {"SSH-2.0-OpenSSH\r\n", plainAnswer, "\r\n\r\n" + plainAnswer},
	"bad chunks":                    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nxyz\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX0\r\n\r\n", plainAnswer},
	"rejection":                     {"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig", plainAnswer, "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nbig"},
	"repeated and folded headers":   {"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n", plainAnswer},
	"connection with several words": {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", plainAnswer},
}

// FuzzSameAsNetHTTP sends three requests over one Transport to a server that sends the fuzzed
// bytes. Each result must be the one that net/http gives for the response alone, so a response
// never belongs to another request. A connection may be reused only if the response is complete
// and no bytes follow it. early makes the server respond before it reads the body of the request.
// split is where a response is divided into two writes.
//
// These differences are allowed; sameResult lists them in code:
//   - 101 and statuses below 100 are errors here. net/http returns them to the caller. No provider
//     sends them, and what follows them on the connection is unclear.
//   - A trailer that is missing, broken or longer than maxTrailer is ignored here, because the
//     body is complete. net/http reports an error for the first two. The connection is not reused.
//   - An early status of 300 or more stops the sending of the request here; net/http sends the
//     rest. If the upstream waits for the rest before it ends its response, reading ends after
//     responseGrace. The server here does not wait.
//   - A connection may be closed here although net/http would reuse it. This costs a new
//     connection and is never wrong.
func FuzzSameAsNetHTTP(f *testing.F) {
	silenceNetHTTP(f)
	for _, e := range exchanges {
		f.Add(e[0], e[1], e[2], false, uint16(0))
		f.Add(e[0], e[1], e[2], true, uint16(20))
	}
	f.Fuzz(func(t *testing.T, first, second, third string, early bool, split uint16) {
		if max(len(first), len(second), len(third)) > maxText {
			return
		}
		checkExchange(t, []string{first, second, third}, early, int(split))
	})
}

// silenceNetHTTP discards net/http's messages about bytes after the end of a response.
func silenceNetHTTP(tb testing.TB) {
	log.SetOutput(io.Discard)
	tb.Cleanup(func() { log.SetOutput(os.Stderr) })
}

func TestExchangesAreReusedLikeNetHTTP(t *testing.T) {
	silenceNetHTTP(t)
	for name, want := range map[string]string{
		"keep-alive": "reused reused reused", "keep-alive, errors": "reused reused reused", "no body": "reused reused reused",
		"trailers": "reused reused closed", "broken trailer": "closed closed reused", "interim": "reused reused reused", "many interim": "reused reused closed",
		"close": "closed reused closed", "long trailer": "closed reused closed", "bytes after the end": "closed closed closed",
		"bytes after no body": "closed closed reused", "bytes after a chunked 204": "closed reused reused",
		"bytes after the trailer": "closed reused closed", "missing trailer": "closed closed reused",
		"connection with several words": "closed closed reused",
	} {
		texts, ok := exchanges[name]
		require.True(t, ok, name)
		require.Equal(t, want, strings.Join(checkExchange(t, texts[:], false, 0), " "), name)
	}
}

// checkExchange makes one call per text and checks the results. It returns whether the connection
// could be reused after each call.
func checkExchange(t *testing.T, texts []string, early bool, split int) (reuse []string) {
	s := &textServer{early: early}
	defer s.stop()
	c := New(Config{AllowPrivate: true})
	defer c.CloseIdleConnections()
	c.connect = func(context.Context, *Address) (net.Conn, error) { return s.connect() }
	for _, text := range texts {
		e := newExpectation(text)
		s.expect(e, split)
		want := callNetHTTP(t, s.post(nil), e, early, split)
		got, body := callEgress(t, c, s.post(want.header))
		sameResult(t, text, e, want, got)
		isReusable := body != nil && c.willReuse(body.conn)
		require.True(t, e.isReusable || !isReusable, "the connection is reused after %q", text)
		reuse = append(reuse, map[bool]string{true: "reused", false: "closed"}[isReusable])
	}
	return reuse
}

// sameResult compares a result with that of net/http.
func sameResult(t *testing.T, text string, e expectation, want, got callResult) {
	t.Helper()
	if want.headErr == nil && (want.status == http.StatusSwitchingProtocols || want.status < http.StatusContinue) {
		require.Error(t, got.headErr, "%q", text)
		return
	}
	require.Equal(t, want.headErr == nil, got.headErr == nil, "%q: %v, %v", text, want.headErr, got.headErr)
	if got.headErr != nil {
		return
	}
	require.Equal(t, want.status, got.status, "%q", text)
	for name, values := range want.header {
		require.Equal(t, values[0], got.fields.Get(name), "%q: %s", text, name)
	}
	if want.status != http.StatusOK {
		require.Equal(t, want.header, got.fields.Fields(), "%q", text)
	}
	require.Equal(t, string(want.body), string(got.body), "%q", text)
	if e.isTrailerBroken {
		require.NoError(t, got.bodyErr, "%q", text)
		return
	}
	require.Equal(t, want.bodyErr == nil, got.bodyErr == nil, "%q: %v, %v", text, want.bodyErr, got.bodyErr)
}

// expectation is what a text contains.
type expectation struct {
	text string
	// length is how many bytes of the text belong to the response.
	length int
	// endsConn means that the response ends with the connection, or that it is not complete.
	endsConn        bool
	isReusable      bool
	isTrailerBroken bool
}

func newExpectation(text string) expectation {
	e := expectation{text: text, length: len(text), endsConn: true}
	in := strings.NewReader(text)
	r := bufio.NewReader(in)
	resp, err := http.ReadResponse(r, nil)
	for err == nil && resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
		resp, err = http.ReadResponse(r, nil)
	}
	if err != nil {
		return e
	}
	_, err = io.Copy(io.Discard, resp.Body)
	e.length = len(text) - in.Len() - r.Buffered()
	if err != nil {
		e.isTrailerBroken = hasAllChunks(text)
		return e
	}
	untilEnd := resp.ContentLength < 0 && len(resp.TransferEncoding) == 0
	e.endsConn = untilEnd
	e.isReusable = !untilEnd && !resp.Close && resp.ProtoAtLeast(1, 1) && e.length == len(text)
	return e
}

// hasAllChunks reports whether the body is chunked and complete up to its trailer.
func hasAllChunks(text string) bool {
	r := bufio.NewReader(strings.NewReader(text))
	c := &conn{r: r}
	h, err := c.readHead(nil)
	if err != nil || !h.chunked {
		return false
	}
	b := newBody(c, h, func() bool { return true })
	_, err = io.Copy(io.Discard, readerFunc(b.read))
	return err == nil
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// callResult is the result of a call over either transport.
type callResult struct {
	headErr, bodyErr error
	status           int
	header           http.Header
	fields           Header
	body             []byte
}

const callPatience = 10 * time.Second

// callNetHTTP makes the call over a new net/http transport and a new connection.
func callNetHTTP(t *testing.T, p Post, e expectation, early bool, split int) (result callResult) {
	s := &textServer{early: early}
	defer s.stop()
	s.expect(e, split)
	transport := &http.Transport{
		DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return s.connect() },
	}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), callPatience)
	defer cancel()
	resp, err := transport.RoundTrip(p.request(ctx))
	require.NoError(t, ctx.Err(), "%q", e.text)
	if err != nil {
		return callResult{headErr: err}
	}
	defer func() { _ = resp.Body.Close() }()
	result.status, result.header = resp.StatusCode, resp.Header
	if resp.StatusCode != http.StatusSwitchingProtocols {
		result.body, result.bodyErr = io.ReadAll(resp.Body)
	}
	return result
}

func callEgress(t *testing.T, c *Transport, p Post) (result callResult, _ *Body) {
	ctx, cancel := context.WithTimeout(t.Context(), callPatience)
	defer cancel()
	resp, err := c.Call(ctx, p)
	require.NoError(t, ctx.Err())
	if err != nil {
		return callResult{headErr: err}, nil
	}
	result.status, result.fields = resp.Status, resp.Header
	result.body, result.bodyErr = io.ReadAll(resp.Body)
	require.NoError(t, ctx.Err())
	body := resp.Body.(*Body)
	_ = body.Close()
	return result, body
}

// willReuse waits until the connection is idle or closed, and reports whether the next call will
// use it.
func (t *Transport) willReuse(c *conn) bool {
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	for {
		t.pool.mu.Lock()
		isIdle := t.pool.count > 0
		t.pool.mu.Unlock()
		if isIdle {
			return c.isReusable()
		}
		if raw.Control(func(uintptr) {}) != nil {
			return false
		}
		<-time.After(20 * time.Microsecond)
	}
}

// textServer sends one text per request. If the text does not end by itself, it closes the
// connection.
type textServer struct {
	early bool

	mu    sync.Mutex
	next  expectation
	split int
	conns []net.Conn
}

// expect sets the text for the next request and where to split it.
func (s *textServer) expect(e expectation, split int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.split = e, 0
	if e.length > 0 {
		s.split = split % e.length
	}
}

func (s *textServer) expected() (expectation, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next, s.split
}

// post returns a request. Its body is long if the response comes early.
func (s *textServer) post(wanted http.Header) Post {
	names := []string{"Not-There"}
	for name := range wanted {
		names = append(names, name)
	}
	body := []byte("hello")
	if s.early {
		body = bytes.Repeat([]byte("y"), maxUnread+1)
	}
	to := &url.URL{Scheme: "http", Host: "acme.example", Path: "/v1"}
	return Post{To: NewAddress(to), With: NewFields(http.Header{}, names...), Pieces: [][]byte{body}}
}

// connect returns the client's end of a new connection.
func (s *textServer) connect() (net.Conn, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "socket")
		ends[i], err = net.FileConn(file)
		_ = file.Close()
		if err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, ends[1])
	go s.serve(ends[1])
	return ends[0], nil
}

func (s *textServer) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if !s.early {
			_, _ = io.Copy(io.Discard, req.Body)
		}
		e, at := s.expected()
		if _, err := io.WriteString(c, e.text[:at]); err != nil {
			return
		}
		if _, err := io.WriteString(c, e.text[at:]); err != nil {
			return
		}
		if e.endsConn {
			_ = c.(*net.UnixConn).CloseWrite()
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil || e.endsConn {
			return
		}
	}
}

func (s *textServer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
}
