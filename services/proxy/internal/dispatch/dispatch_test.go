package dispatch_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

const document = `version: 1
providers:
  one: {kind: openai, base_url: https://one.example/v1, timeouts: {connect: 1s, first_token: 5s, idle: 3s, total: 20s}}
  two: {kind: openai, base_url: https://two.example/v1, timeouts: {connect: 1s, first_token: 5s, idle: 3s, total: 20s}}
models:
  small: {endpoints: [{provider: one, model: up-s}], context: 8192}
  large: {endpoints: [{provider: two, model: up-l}], context: 8192}
defaults: {baseline: large, retries: {max: 2}}
routes: {auto: {select: [{candidates: [small, large]}]}}
`

const (
	plainBody  = `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`
	streamBody = `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	whole      = `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`
)

var small, large = decide.Candidate{Model: "small", Provider: "one"}, decide.Candidate{Model: "large", Provider: "two"}

// script is the behaviour of an upstream when it is called.
type script func(ctx context.Context, call provider.Call) (*provider.Response, error)

func (s script) CompleteChat(ctx context.Context, call provider.Call) (*provider.Response, error) {
	return s(ctx, call)
}

// upstreams are scripts by provider.
type upstreams map[string]script

func (u upstreams) ChatCompleter(name string) (provider.ChatCompleter, bool) {
	s, ok := u[name]
	return s, ok
}
func (u upstreams) Embedder(string) (provider.Embedder, bool) { return nil, false }

func answers(body string) script {
	return func(context.Context, provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Body: []byte(body)}, nil
	}
}

func fails(code apperr.Code) script {
	return func(context.Context, provider.Call) (*provider.Response, error) {
		return nil, apperr.New(code, "upstream failed").With("upstream_status", 599)
	}
}

// streams sends the payloads and then returns end.
func streams(end error, payloads ...string) script {
	return func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		return &provider.Response{Status: 200, Events: &events{ctx: ctx, payloads: payloads, end: end}}, nil
	}
}

type events struct {
	ctx      context.Context
	payloads []string
	end      error
}

// errHang makes a stream block until its context ends.
var errHang = errors.New("hang")

func (e *events) Next() ([]byte, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	if len(e.payloads) == 0 {
		if errors.Is(e.end, errHang) {
			<-e.ctx.Done()
			return nil, e.ctx.Err()
		}
		return nil, e.end
	}
	next := e.payloads[0]
	e.payloads = e.payloads[1:]
	return []byte(next), nil
}

func (e *events) Close() error { return nil }

// endless is a stream that sends an event every 700 ms and never ends.
type endless struct{ ctx context.Context }

func (e endless) Next() ([]byte, error) {
	select {
	case <-time.After(700 * time.Millisecond):
		return []byte(deltaA), nil
	case <-e.ctx.Done():
		return nil, e.ctx.Err()
	}
}

func (endless) Close() error { return nil }

// sink stores what it receives.
type sink struct {
	committed []decide.Candidate
	text      strings.Builder
	gone      error
	slow      time.Duration
}

func (s *sink) Commit(t decide.Candidate, _ []string) { s.committed = append(s.committed, t) }
func (s *sink) Send(frames []byte) error {
	if s.slow > 0 {
		<-time.After(s.slow)
	}
	s.text.Write(frames)
	return s.gone
}

func run(t *testing.T, body string, u upstreams) (*dispatch.Result, *sink) {
	t.Helper()
	out := &sink{}
	return dispatch.Run(t.Context(), job(t, body, u), out), out
}

func job(t testing.TB, body string, u upstreams) dispatch.Job {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	req, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return dispatch.Job{ID: "id", StartedAt: time.Now(), Request: req, Plan: []decide.Candidate{small, large}, Policy: p, Providers: u}
}

const (
	deltaA = `{"choices":[{"index":0,"delta":{"content":"a"}}]}`
	deltaB = `{"choices":[{"index":0,"delta":{"content":"b"}}]}`
	finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

func TestTheFirstCandidateServes(t *testing.T) {
	var asked string
	res, _ := run(t, plainBody, upstreams{"one": func(ctx context.Context, call provider.Call) (*provider.Response, error) {
		asked = call.UpstreamModel
		return answers(whole)(ctx, call)
	}})
	require.NoError(t, res.Err)
	require.Equal(t, small, res.Served)
	require.Equal(t, "up-s", asked)
	require.Equal(t, catalog.Usage{Input: 3, Output: 2}, res.Usage)
	require.Len(t, res.Attempts, 1)
	require.Equal(t, 200, res.Attempts[0].Status)
	require.Zero(t, res.Attempts[0].FirstToken, "only a stream has a first token")
}

func TestFailuresMoveOn(t *testing.T) {
	for _, code := range []apperr.Code{
		apperr.ProviderConnection, apperr.ProviderRateLimited, apperr.ProviderUpstream, apperr.ProviderAuth,
		apperr.ProviderTimeout, apperr.ProviderInvalidResponse, apperr.ProviderOverloaded, apperr.ProviderQuotaExhausted,
		apperr.ProviderModelUnavailable, apperr.UnsupportedParameter, apperr.Internal,
	} {
		res, _ := run(t, plainBody, upstreams{"one": fails(code), "two": answers(whole)})
		require.NoError(t, res.Err, code)
		require.Equal(t, large, res.Served, code)
		require.Equal(t, string(code), res.Attempts[0].Code)
		require.Equal(t, 599, res.Attempts[0].Status)
	}
}

func TestFaultsOfTheRequestDoNotMoveOn(t *testing.T) {
	for _, code := range []apperr.Code{apperr.ProviderBadRequest, apperr.ContentFiltered, apperr.RequestTooLarge} {
		res, _ := run(t, plainBody, upstreams{"one": fails(code), "two": answers(whole)})
		require.True(t, apperr.Is(res.Err, code))
		require.Len(t, res.Attempts, 1)
	}
}

func TestAllFailing(t *testing.T) {
	res, _ := run(t, plainBody, upstreams{"one": fails(apperr.ProviderConnection), "two": fails(apperr.ProviderRateLimited)})
	require.True(t, apperr.Is(res.Err, apperr.ProviderRateLimited), "the last one's code")
	require.Len(t, apperr.From(res.Err).Details["attempts"], 2)
	require.Equal(t, decide.Candidate{}, res.Served)
	require.Equal(t, catalog.Usage{}, res.Usage)
}

func TestAnInvalidResponseMovesOn(t *testing.T) {
	res, _ := run(t, plainBody, upstreams{"one": answers(`{"choices":[]}`), "two": answers(whole)})
	require.NoError(t, res.Err)
	require.Equal(t, string(apperr.ProviderInvalidResponse), res.Attempts[0].Code)
}

func TestStream(t *testing.T) {
	res, out := run(t, streamBody, upstreams{"one": streams(io.EOF, deltaA, deltaB, finish)})
	require.NoError(t, res.Err)
	require.Equal(t, []decide.Candidate{small}, out.committed)
	require.NotContains(t, out.text.String(), "[DONE]", "the end waits for the record")
	require.True(t, strings.HasSuffix(string(res.FinalFrames), "data: [DONE]\n\n"))
	require.True(t, res.Estimated, "no usage was reported")
	require.Positive(t, res.Usage.Output)
}

func TestStreamFailingBeforeContentMovesOn(t *testing.T) {
	role := `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	broken := apperr.New(apperr.ProviderConnection, "reset")
	for _, first := range []script{
		streams(broken, role),
		streams(io.EOF, role),
		streams(io.EOF, `{"error":{"message":"overloaded","code":503}}`),
	} {
		res, out := run(t, streamBody, upstreams{"one": first, "two": streams(io.EOF, deltaA, finish)})
		require.NoError(t, res.Err)
		require.Equal(t, []decide.Candidate{large}, out.committed)
		require.Equal(t, 1, strings.Count(out.text.String(), `"role":"assistant"`))
	}
}

// Nothing was sent, so the client gets an error status instead of a 200.
func TestStreamFailingEverywhereBeforeContent(t *testing.T) {
	for _, body := range []string{streamBody, plainBody} {
		res, out := run(t, body, upstreams{"one": streams(io.EOF), "two": streams(io.EOF)})
		require.True(t, apperr.Is(res.Err, apperr.ProviderInvalidResponse), "%v", res.Err)
		require.Empty(t, out.committed)
	}
}

func TestDataWithoutContentIsLimited(t *testing.T) {
	big := `{"choices":[{"index":0,"delta":{"role":"assistant"}}],"vendor":"` + strings.Repeat("x", 300<<10) + `"}`
	res, _ := run(t, streamBody, upstreams{"one": streams(errHang, big, big, big, big, big), "two": streams(io.EOF, deltaA, finish)})
	require.NoError(t, res.Err)
	require.Equal(t, string(apperr.ProviderInvalidResponse), res.Attempts[0].Code)
}

func TestStreamFailingAfterContentIsInterrupted(t *testing.T) {
	broken := apperr.New(apperr.ProviderConnection, "reset")
	for _, end := range []error{broken, io.EOF, sse.ErrNoDone} {
		res, out := run(t, streamBody, upstreams{"one": streams(end, deltaA), "two": streams(io.EOF, deltaB, finish)})
		require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted), "%v", res.Err)
		require.Equal(t, []decide.Candidate{small}, out.committed)
		require.NotContains(t, out.text.String(), `"b"`, "never a second copy")
		require.Len(t, res.Attempts, 1)
		require.Positive(t, res.Usage.Output, "what was delivered is paid for")
		require.Nil(t, res.FinalFrames)
	}
}

func TestInputUsageIsKnownBeforeTheEnd(t *testing.T) {
	const begin = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":100,` +
		`"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30,"cache_write_1h_tokens":20}}}`
	broken := apperr.New(apperr.ProviderConnection, "reset")
	for name, tt := range map[string]struct {
		upstream script
		gone     error
	}{
		"cut":         {streams(broken, begin, deltaA), nil},
		"client gone": {streams(io.EOF, begin, deltaA, deltaB, finish), errors.New("broken pipe")},
		"uncounted":   {streams(io.EOF, begin, deltaA, finish), nil},
	} {
		res := dispatch.Run(t.Context(), job(t, streamBody, upstreams{"one": tt.upstream}), &sink{gone: tt.gone})
		require.Positive(t, res.Usage.Output, name)
		require.True(t, res.Estimated && res.Attempts[0].Estimated, name)
		res.Usage.Output = 0
		require.Equal(t, catalog.Usage{Input: 10, CacheRead: 60, CacheWrite: 30, CacheWrite1h: 20}, res.Usage, name)
	}
	res, _ := run(t, streamBody, upstreams{"one": streams(broken, begin), "two": streams(io.EOF, deltaB, finish)})
	require.NoError(t, res.Err)
	require.EqualValues(t, 60, res.Attempts[0].Usage.CacheRead, "no output, but the whole input")
}

func TestJSONForAStreamAndEventsForAPlainRequest(t *testing.T) {
	res, out := run(t, streamBody, upstreams{"one": answers(whole)})
	require.NoError(t, res.Err)
	require.Contains(t, out.text.String()+string(res.FinalFrames), `"content":"hello"`)
	require.Equal(t, catalog.Usage{Input: 3, Output: 2}, res.Usage)

	res, out = run(t, plainBody, upstreams{"one": streams(io.EOF, deltaA, deltaB, finish)})
	require.NoError(t, res.Err)
	require.Contains(t, string(res.Response.Body), `"content":"ab"`)
	require.Empty(t, out.committed)
}

func TestTimeouts(t *testing.T) {
	hang := func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	t.Run("first token of a stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, streamBody, upstreams{"one": hang, "two": streams(io.EOF, deltaA, finish)})
			require.NoError(t, res.Err)
			require.Equal(t, string(apperr.ProviderTimeout), res.Attempts[0].Code)
			require.Equal(t, 5*time.Second, res.Attempts[0].Ended)
			require.Positive(t, res.Attempts[0].Usage.Input, "it may be billed")
		})
	})
	slowly := func(d time.Duration) script {
		return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
			select {
			case <-time.After(d):
				return answers(whole)(ctx, call)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	t.Run("a plain response has the whole time without an alternative", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j := job(t, plainBody, upstreams{"one": slowly(19 * time.Second)})
			j.Plan = j.Plan[:1]
			require.NoError(t, dispatch.Run(t.Context(), j, &sink{}).Err)
		})
	})
	t.Run("and half of the time with an alternative", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, plainBody, upstreams{"one": slowly(9 * time.Second), "two": hang})
			require.NoError(t, res.Err)
			require.Equal(t, small, res.Served)
			res, _ = run(t, plainBody, upstreams{"one": hang, "two": slowly(9 * time.Second)})
			require.NoError(t, res.Err)
			require.Equal(t, large, res.Served)
			require.Equal(t, string(apperr.ProviderTimeout), res.Attempts[0].Code)
			require.Equal(t, 10*time.Second, res.Attempts[0].Ended)
			require.Positive(t, res.Attempts[0].Usage.Input, "it may be billed")
		})
	})
	t.Run("one deadline for all attempts", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, plainBody, upstreams{"one": hang, "two": hang})
			require.True(t, apperr.Is(res.Err, apperr.ProviderTimeout))
			require.Equal(t, "total", apperr.From(res.Err).Details["phase"])
			require.False(t, apperr.From(res.Err).IsRetryable(), "another call would use up its time again")
			require.Len(t, res.Attempts, 2)
			require.Equal(t, 20*time.Second, res.Attempts[1].Ended)
		})
	})
	t.Run("a slow client is not the provider's fault", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			out := &sink{slow: 4 * time.Second}
			res := dispatch.Run(t.Context(), job(t, streamBody, upstreams{"one": streams(io.EOF, deltaA, deltaB, finish)}), out)
			require.NoError(t, res.Err)
		})
	})
	t.Run("idle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, streamBody, upstreams{"one": streams(errHang, deltaA)})
			require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted))
			require.Equal(t, string(apperr.ProviderTimeout), apperr.From(res.Err).Details["reason"])
			require.Equal(t, 3*time.Second, res.Attempts[0].Ended)
		})
	})
	t.Run("a stream that never stalls", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			res, _ := run(t, streamBody, upstreams{"one": func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
				return &provider.Response{Status: 200, Events: endless{ctx}}, nil
			}})
			require.True(t, apperr.Is(res.Err, apperr.ProviderInterrupted))
			require.Equal(t, 20*time.Second, res.Attempts[0].Ended, "the total timeout ends it")
		})
	})
}

func TestClientGone(t *testing.T) {
	t.Run("while waiting", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		u := upstreams{"one": func(context.Context, provider.Call) (*provider.Response, error) {
			cancel()
			return nil, context.Canceled
		}, "two": answers(whole)}
		res := dispatch.Run(ctx, job(t, plainBody, u), &sink{})
		require.True(t, apperr.Is(res.Err, apperr.ClientCancelled))
		require.Len(t, res.Attempts, 1, "no second attempt")
		require.Positive(t, res.Attempts[0].Usage.Input, "what was under way may be billed")
		require.True(t, res.Attempts[0].Estimated)
	})
	t.Run("while reading", func(t *testing.T) {
		out := &sink{gone: errors.New("broken pipe")}
		res := dispatch.Run(t.Context(), job(t, streamBody, upstreams{"one": streams(io.EOF, deltaA, deltaB, finish)}), out)
		require.True(t, apperr.Is(res.Err, apperr.ClientCancelled))
		require.Positive(t, res.Usage.Output)
	})
}

func TestShutdownIsNotTheClientsDoing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	u := upstreams{"one": func(context.Context, provider.Call) (*provider.Response, error) {
		cancel(errors.New("shutting down"))
		return nil, context.Canceled
	}}
	res := dispatch.Run(ctx, job(t, plainBody, u), &sink{})
	require.True(t, apperr.Is(res.Err, apperr.GatewayOverloaded))
}

// A request whose client left, or whose proxy stopped, before the first call has no attempt.
func TestNothingIsCalledAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("shutdown"))
	res := dispatch.Run(ctx, job(t, plainBody, upstreams{"one": answers(whole), "two": answers(whole)}), &sink{})
	require.True(t, apperr.Is(res.Err, apperr.GatewayOverloaded))
	require.Empty(t, res.Attempts)
}
