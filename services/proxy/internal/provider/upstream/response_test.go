package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
)

// body records whether it was read to its end before it was closed. Only then does
// net/http reuse the connection.
type body struct {
	io.Reader
	ended, closed, kept bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

func (b *body) Close() error {
	b.closed, b.kept = true, b.ended
	return nil
}

// respondFunc is a transport without a network, for tests with a fake clock.
type respondFunc func(*http.Request) *http.Response

func (f respondFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func doRequest(ctx context.Context, t *testing.T, answer respondFunc) (*Client, Response, error) {
	t.Helper()
	c, err := New(Config{Name: "acme", Transport: egress.WrapTransport(answer)})
	require.NoError(t, err)
	a, err := c.Do(ctx, Request{Address: egress.NewAddress(&url.URL{Scheme: "http", Host: "acme.example"}), BodyPieces: [][]byte{[]byte("hel"), []byte("lo")}, Stream: true})
	return c, a, err
}

func newStreamResponse(body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
}

// newHangingBody returns a body that sends text and then stalls.
func newHangingBody(text string) (*io.PipeReader, *io.PipeWriter) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, text) }()
	return r, w
}

func TestAbandonedStreamIsNotRead(t *testing.T) {
	b := &body{Reader: strings.NewReader("data: {}\n\n" + strings.Repeat(": more\n\n", 1000))}
	c, a, err := doRequest(t.Context(), t, func(*http.Request) *http.Response { return newStreamResponse(b) })
	require.NoError(t, err)
	events := c.ReadEvents(t.Context(), a)
	_, err = events.Next()
	require.NoError(t, err)
	require.NoError(t, events.Close())
	require.True(t, b.closed)
	require.False(t, b.ended)
}

func TestErrorBodyTimeout(t *testing.T) {
	refuse := func(*http.Request) *http.Response {
		r, _ := newHangingBody(`{"error"`)
		return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}, Body: r}
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, _, err := doRequest(t.Context(), t, refuse)
		require.Equal(t, apperr.ProviderRateLimited, apperr.CodeOf(err))
		require.Equal(t, 7*time.Second, apperr.From(err).RetryAfter)
		require.Equal(t, errorBodyTimeout, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), errorBodyTimeout/2)
		defer cancel()
		_, _, err = doRequest(ctx, t, refuse)
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err), "the attempt's own end comes first")
	})
}

// A response with an encoding that it does not have, or that is unknown, is invalid.
func TestDamagedEncodings(t *testing.T) {
	encoded := func(status int, how, kind string) respondFunc {
		return func(*http.Request) *http.Response {
			h := http.Header{"Content-Encoding": {how}, "Content-Type": {kind}}
			return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader("something"))}
		}
	}
	for _, name := range []string{"GZip", "deflate", "br", "zstd", "gzip, br", "compress", "gzip, gzip, gzip"} {
		_, _, err := doRequest(t.Context(), t, encoded(200, name, "application/json"))
		require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err), name)
		require.Equal(t, "encoding", apperr.From(err).Details["reason"], name)
	}
	for _, kind := range []string{"application/json", "text/event-stream"} {
		_, _, err := doRequest(t.Context(), t, encoded(200, "identity", kind))
		require.NoError(t, err)
	}
	_, _, err := doRequest(t.Context(), t, encoded(200, "br;<b>", "application/json"))
	require.NotContains(t, apperr.From(err).Message, "<b>")
	_, _, err = doRequest(t.Context(), t, encoded(400, "br", "application/json"))
	require.Equal(t, apperr.ProviderBadRequest, apperr.CodeOf(err))
	require.NotContains(t, apperr.From(err).Message, "something")
}

func TestNoCallAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := doRequest(ctx, t, func(*http.Request) *http.Response { return newStreamResponse(http.NoBody) })
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
}

func TestAnnouncedLengthTakesNoMemory(t *testing.T) {
	_, a, err := doRequest(t.Context(), t, func(*http.Request) *http.Response {
		return &http.Response{StatusCode: 200, ContentLength: maxBody, Body: io.NopCloser(strings.NewReader("{}"))}
	})
	require.NoError(t, err)
	require.Equal(t, "{}", string(a.Body))
	require.Less(t, cap(a.Body), 2*maxPreallocated)
}

func TestErrorsContainNoAddress(t *testing.T) {
	op := &net.OpError{
		Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 443},
		Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
	err := stripAddresses(&url.Error{Op: "Post", URL: "http://internal.example/v1", Err: op})
	require.Equal(t, "read: connection reset by peer", err.Error())
	require.ErrorIs(t, err, syscall.ECONNRESET)
}
