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

// body tells whether it was read to its end before it was closed, which is
// when net/http keeps a connection.
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

// answering is a transport without a network, so that time can stand still.
type answering func(*http.Request) *http.Response

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func do(ctx context.Context, t *testing.T, answer answering) (*Client, Answer, error) {
	t.Helper()
	c, err := New(Config{Name: "acme", Transport: egress.Over(answer)})
	require.NoError(t, err)
	a, err := c.Do(ctx, Request{To: egress.NewAddress(&url.URL{Scheme: "http", Host: "acme.example"}), Pieces: [][]byte{[]byte("hel"), []byte("lo")}, Stream: true})
	return c, a, err
}

func stream(body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
}

// hanging is a body that says something and then falls silent.
func hanging(text string) (*io.PipeReader, *io.PipeWriter) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, text) }()
	return r, w
}

func TestAbandonedStreamIsNotRead(t *testing.T) {
	b := &body{Reader: strings.NewReader("data: {}\n\n" + strings.Repeat(": more\n\n", 1000))}
	c, a, err := do(t.Context(), t, func(*http.Request) *http.Response { return stream(b) })
	require.NoError(t, err)
	events := c.Events(t.Context(), a)
	_, err = events.Next()
	require.NoError(t, err)
	require.NoError(t, events.Close())
	require.True(t, b.closed)
	require.False(t, b.ended)
}

func TestStatusIsEnoughOfAnError(t *testing.T) {
	refuse := func(*http.Request) *http.Response {
		r, _ := hanging(`{"error"`)
		return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}, Body: r}
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, _, err := do(t.Context(), t, refuse)
		require.Equal(t, apperr.ProviderRateLimited, apperr.CodeOf(err))
		require.Equal(t, 7*time.Second, apperr.From(err).RetryAfter)
		require.Equal(t, errorWait, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), errorWait/2)
		defer cancel()
		_, _, err = do(ctx, t, refuse)
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err), "the attempt's own end comes first")
	})
}

// What was not asked for is not read.
func TestEncodedAnswers(t *testing.T) {
	encoded := func(status int, how, kind string) answering {
		return func(*http.Request) *http.Response {
			h := http.Header{"Content-Encoding": {how}, "Content-Type": {kind}}
			return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader("something"))}
		}
	}
	for _, kind := range []string{"application/json", "text/event-stream"} {
		_, _, err := do(t.Context(), t, encoded(200, "GZip", kind))
		require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
		require.Equal(t, "encoding", apperr.From(err).Details["reason"])
		require.Contains(t, apperr.From(err).Message, "gzip")
		_, _, err = do(t.Context(), t, encoded(200, "identity", kind))
		require.NoError(t, err)
	}
	_, _, err := do(t.Context(), t, encoded(200, "br;<b>", "application/json"))
	require.NotContains(t, apperr.From(err).Message, "<b>")
	_, _, err = do(t.Context(), t, encoded(400, "br", "application/json"))
	require.Equal(t, apperr.ProviderBadRequest, apperr.CodeOf(err))
	require.NotContains(t, apperr.From(err).Message, "something")
}

func TestEndedAttemptIsNotMade(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := do(ctx, t, func(*http.Request) *http.Response { return stream(http.NoBody) })
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
}

func TestAnnouncedLengthTakesNoMemory(t *testing.T) {
	_, a, err := do(t.Context(), t, func(*http.Request) *http.Response {
		return &http.Response{StatusCode: 200, ContentLength: maxBody, Body: io.NopCloser(strings.NewReader("{}"))}
	})
	require.NoError(t, err)
	require.Equal(t, "{}", string(a.Body))
	require.Less(t, cap(a.Body), 2*maxAhead)
}

func TestBareErrorsNameNoAddress(t *testing.T) {
	op := &net.OpError{
		Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 443},
		Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
	err := bare(&url.Error{Op: "Post", URL: "http://internal.example/v1", Err: op})
	require.Equal(t, "read: connection reset by peer", err.Error())
	require.ErrorIs(t, err, syscall.ECONNRESET)
}
