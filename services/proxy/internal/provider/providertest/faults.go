package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// Vendor is the upstream that a test simulates, in its own wire format.
type Vendor struct {
	// Serve returns a successful response to a chat, a streaming chat or an embeddings
	// call. A stream has several pieces, and each piece is a complete event.
	Serve func(scriptedtest.Received) scripted.Response
	// Headers lists the headers that the adapter may send, in addition to the headers of
	// the transport.
	Headers []string
	// Client returns an adapter that calls u.
	Client func(t *testing.T, u *scriptedtest.Upstream) Subject
}

// RunUpstream calls Run over HTTP. It also checks how an adapter handles an upstream that
// rejects requests, breaks connections, stalls or sends single bytes.
func RunUpstream(t *testing.T, v Vendor) {
	Run(t, func(t *testing.T) Subject { return v.Client(t, scriptedtest.New(t, v.Serve)) })
	parts := map[string]func(*testing.T, Vendor, *scriptedtest.Upstream, Subject){
		"what is sent":          testSentRequest,
		"rejections":            testRejections,
		"redirect":              testRedirect,
		"bytewise stream":       testBytewiseStream,
		"cut stream":            testCutStream,
		"cut body":              testCutBody,
		"no response":           testNoResponse,
		"stall before response": testStallBeforeResponse,
		"stall mid-stream":      testStallStream,
		"close while stalled":   testCloseStalled,
		"connection is reused":  testConnectionReuse,
		"upstream is not there": testUnreachableUpstream,
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) {
			u := scriptedtest.New(t, v.Serve)
			part(t, v, u, v.Client(t, u))
		})
	}
}

// recordStream returns the vendor's response to a streaming request.
func recordStream(t *testing.T, v Vendor, s Subject) scripted.Response {
	t.Helper()
	u := scriptedtest.New(t, v.Serve)
	own := v.Client(t, u)
	response, err := own.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	_, err = ReadAll(response.Events)
	require.NoError(t, err)
	return v.Serve(u.Received()[0])
}

func testSentRequest(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.NoError(t, err)
	got := u.Received()[0]
	require.Equal(t, http.MethodPost, got.Method)
	require.Equal(t, int64(len(got.Body)), got.Length, "the length is announced")
	require.True(t, json.Valid(got.Body))
	require.Equal(t, "identity", got.Header.Get("Accept-Encoding"), "otherwise the upstream chooses an encoding")
	for name := range got.Header {
		require.Contains(t, append([]string{"Content-Length", "Accept-Encoding"}, v.Headers...), name)
	}
}

func testRejections(t *testing.T, _ Vendor, u *scriptedtest.Upstream, s Subject) {
	for status, want := range map[int]apperr.Code{
		400: apperr.ProviderBadRequest,
		401: apperr.ProviderAuth,
		404: apperr.ProviderModelUnavailable,
		429: apperr.ProviderRateLimited,
		500: apperr.ProviderUpstream,
		503: apperr.ProviderOverloaded,
	} {
		u.Script(scripted.JSON(status, `{"error":{"message":"no"}}`).WithHeader("Retry-After", "7"))
		_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
		require.Equal(t, want, apperr.CodeOf(err), "status %d", status)
		require.EqualValues(t, status, apperr.From(err).Details["upstream_status"])
		if status == http.StatusTooManyRequests {
			require.Equal(t, 7*time.Second, apperr.From(err).RetryAfter)
		}
	}
}

func testRedirect(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	elsewhere := scriptedtest.New(t, v.Serve)
	u.Script(scripted.Response{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": elsewhere.URL}})
	_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
	require.Empty(t, elsewhere.Received())
}

func testBytewiseStream(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	whole := recordStream(t, v, s)
	var got [2][]string
	for i, a := range []scripted.Response{whole, whole.Bytewise()} {
		u.Script(a)
		response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
		require.NoError(t, err)
		got[i], err = ReadAll(response.Events)
		require.NoError(t, err)
	}
	require.Equal(t, got[0], got[1])
}

func testCutStream(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	whole := recordStream(t, v, s)
	for n := 1; n < len(whole.Pieces)-1; n++ {
		u.Script(whole.First(n, scripted.Close))
		response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
		require.NoError(t, err)
		_, err = ReadAll(response.Events)
		require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err), "after %d pieces", n)
		require.Equal(t, "stream", apperr.From(err).Details["phase"])
	}
}

func testCutBody(t *testing.T, _ Vendor, u *scriptedtest.Upstream, s Subject) {
	u.Script(scripted.JSON(http.StatusOK, `{"choices":[]}`).CutAt(10, scripted.Close))
	_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
	require.Equal(t, "response", apperr.From(err).Details["phase"])
}

func testNoResponse(t *testing.T, _ Vendor, u *scriptedtest.Upstream, s Subject) {
	u.Script(scripted.Response{Ending: scripted.Close})
	_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
	require.Equal(t, "request", apperr.From(err).Details["phase"])
	require.Len(t, u.Received(), 1, "an adapter does not retry a failed connection")
}

// expiring is a context whose deadline passes when a test says so. A deadline of the clock could pass
// before a busy machine has sent the call.
type expiring struct{ context.Context }

func (e expiring) Err() error {
	if e.Context.Err() == nil {
		return nil
	}
	return context.DeadlineExceeded
}

func withExpiry(parent context.Context) (_ context.Context, expire func()) {
	ctx, cancel := context.WithCancelCause(parent)
	return expiring{ctx}, func() { cancel(context.DeadlineExceeded) }
}

func testStallBeforeResponse(t *testing.T, _ Vendor, u *scriptedtest.Upstream, s Subject) {
	u.Script(scripted.Response{Ending: scripted.Hang}, scripted.Response{Ending: scripted.Hang})
	ctx, expire := withExpiry(t.Context())
	go func() {
		<-u.HungCalls()
		expire()
	}()
	_, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
	u.AwaitDisconnect(t)

	left, leave := context.WithCancelCause(t.Context())
	go func() {
		<-u.HungCalls()
		leave(errClientCancelled)
	}()
	_, err = s.ChatCompleter.CompleteChat(left, ChatCall(t, s.ChatModel, "hello", true))
	require.Equal(t, apperr.ClientCancelled, apperr.CodeOf(err))
	require.ErrorIs(t, err, errClientCancelled)
	u.AwaitDisconnect(t)
}

func testStallStream(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	u.Script(recordStream(t, v, s).First(2, scripted.Hang))
	idle := errors.New("the stream was idle for too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	response, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	go func() {
		<-u.HungCalls()
		cancel(idle)
	}()
	_, err = ReadAll(response.Events)
	require.ErrorIs(t, err, idle, "the error has the cause of the cancellation")
	u.AwaitDisconnect(t)
}

func testCloseStalled(t *testing.T, v Vendor, u *scriptedtest.Upstream, s Subject) {
	u.Script(recordStream(t, v, s).First(2, scripted.Hang))
	response, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", true))
	require.NoError(t, err)
	go func() {
		<-u.HungCalls()
		_ = response.Events.Close()
	}()
	_, err = ReadAll(response.Events)
	require.Error(t, err)
	u.AwaitDisconnect(t)
}

// testConnectionReuse checks that connections are reused. It allows some new connections,
// because a connection may become reusable only shortly after the end of its call.
func testConnectionReuse(t *testing.T, v Vendor, _ *scriptedtest.Upstream, _ Subject) {
	for name, status := range map[string]int{"plain": 200, "stream": 200, "error": 500} {
		u := scriptedtest.New(t, v.Serve)
		s := v.Client(t, u)
		call := func() {
			if status != http.StatusOK {
				u.Script(scripted.Text(status, "text/html", "<h1>oops</h1>"))
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			response, err := s.ChatCompleter.CompleteChat(ctx, ChatCall(t, s.ChatModel, "hello", name == "stream"))
			if err == nil && response.Events != nil {
				_, err = ReadAll(response.Events)
			}
			require.Equal(t, status, upstreamStatus(err), "%v", err)
		}
		for call(); u.Connections() == len(u.Received()); call() {
			require.Less(t, u.Connections(), 50, "%s: every call opens a connection", name)
		}
	}
}

func upstreamStatus(err error) int {
	if err == nil {
		return http.StatusOK
	}
	status, _ := apperr.From(err).Details["upstream_status"].(int)
	return status
}

func testUnreachableUpstream(t *testing.T, v Vendor, _ *scriptedtest.Upstream, _ Subject) {
	// A port that was free a moment ago may be in use by now, but port 1 is never assigned.
	absent := scriptedtest.NewHandler(v.Serve)
	absent.URL = "http://127.0.0.1:1"
	s := v.Client(t, absent)
	_, err := s.ChatCompleter.CompleteChat(t.Context(), ChatCall(t, s.ChatModel, "hello", false))
	require.Equal(t, apperr.ProviderConnection, apperr.CodeOf(err))
	require.Equal(t, "connect", apperr.From(err).Details["phase"])
	require.NotContains(t, err.Error(), "127.0.0.1", "errors must not contain addresses")
}
