package dispatch_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

// real is a policy with upstreams that are really called. Only the tests of stalls give the
// first one short timeouts, because a busy machine would exceed them too.
const real = `version: 1
providers:
  one: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: %s}
  two: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: {first_token: 20s, idle: 20s, total: 12s}}
models:
  small: {endpoints: [{provider: one, model: up-s}], context: 8192}
  large: {endpoints: [{provider: two, model: up-l}], context: 16384}
`

// A plain request gives half of its total time to an upstream that stalls. The other half must be
// enough for the second upstream on a busy machine.
const (
	hasty   = "{first_token: 200ms, idle: 200ms, total: 12s}"
	patient = "{first_token: 20s, idle: 20s, total: 40s}"
)

func realJob(t *testing.T, body, timeouts, one, two string) dispatch.Job {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile(fmt.Appendf(nil, real, one, timeouts, two), cat)
	require.NoError(t, err)
	set, err := registry.Build(p, registry.Deps{ResolveSecret: func(string) (config.Secret, error) { return "", nil }}, nil)
	require.NoError(t, err)
	req, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return dispatch.Job{
		ID: "id", StartedAt: time.Now(), Request: req, Plan: []decide.Candidate{small, large},
		Policy: p, Providers: set, Breakers: breaker.NewSet(),
	}
}

// unusedAddress returns an address without a listener.
func unusedAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// For any failure before the first content, the client gets only the response of another
// candidate.
func TestFaultsCostNoRequest(t *testing.T) {
	role := `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	comments := make([]string, 100)
	for i := range comments {
		comments[i] = ": wait\n\n"
	}
	for name, give := range map[string]scripted.Response{
		"stall":                 {Ending: scripted.Hang},
		"stall behind headers":  scripted.Stream().First(0, scripted.Hang),
		"stall behind role":     scripted.Events(role, "").First(1, scripted.Hang),
		"stall with comments":   scripted.Stream(comments...).Paced(50 * time.Millisecond),
		"reset":                 {Ending: scripted.Reset},
		"close":                 {Ending: scripted.Close},
		"reset behind headers":  scripted.Stream("").First(0, scripted.Reset),
		"reset behind role":     scripted.Events(role, "").First(1, scripted.Reset),
		"half a body":           scripted.JSON(200, `{"choices":[{"message":{"content":"hello"},"finish`).CutAt(30, scripted.Close),
		"garbage":               scripted.Raw("\x00\x01\x02 nothing of HTTP\r\n\r\n"),
		"garbage as JSON":       scripted.JSON(200, `{"choices":[{`),
		"garbage as a stream":   scripted.Stream("data: {\"choi\n\n"),
		"wrong content type":    scripted.Text(200, "text/html", "<html>busy</html>"),
		"no choices":            scripted.JSON(200, `{"choices":[]}`),
		"empty":                 scripted.JSON(200, ""),
		"empty stream":          scripted.Stream(),
		"done alone":            scripted.Events("[DONE]"),
		"error event":           scripted.Events(`{"error":{"message":"overloaded","code":503}}`),
		"error behind role":     scripted.Events(role, `{"error":{"message":"no","code":500}}`),
		"error under 200":       scripted.JSON(200, `{"error":{"message":"no","type":"server_error"}}`),
		"redirect":              scripted.JSON(307, "").WithHeader("Location", "http://127.0.0.1:1/"),
		"401":                   scripted.JSON(401, `{"error":{"message":"bad key"}}`),
		"402":                   scripted.JSON(402, `{}`),
		"403":                   scripted.JSON(403, `{}`),
		"404":                   scripted.JSON(404, `{"error":{"message":"no such model"}}`),
		"408":                   scripted.JSON(408, `{}`),
		"429":                   scripted.JSON(429, `{}`),
		"429 with a delay":      scripted.JSON(429, `{}`).WithHeader("Retry-After", "3600"),
		"429 with a day's":      scripted.JSON(429, `{"error":{"code":"insufficient_quota"}}`),
		"500":                   scripted.JSON(500, `{}`),
		"502 as a page":         scripted.Text(502, "text/html", "<html>Bad Gateway</html>"),
		"503":                   scripted.JSON(503, `{}`).WithHeader("Retry-After", "1"),
		"529":                   scripted.JSON(529, `{"type":"error","error":{"type":"overloaded_error"}}`),
		"too long":              scripted.JSON(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`),
		"too long, in a stream": scripted.Events(`{"error":{"message":"too long","code":"context_length_exceeded"}}`),
	} {
		for form, body := range map[string]string{"plain": plainBody, "stream": streamBody} {
			t.Run(name+", "+form, func(t *testing.T) {
				t.Parallel()
				one, two := scriptedtest.New(t, scriptedtest.OpenAI), scriptedtest.New(t, scriptedtest.OpenAI)
				one.Script(give, give)
				if strings.HasPrefix(name, "stall") {
					served(t, realJob(t, body, hasty, one.URL, two.URL))
					require.LessOrEqual(t, len(one.Received()), 1, "a busy machine may exceed the timeout before the call")
				} else {
					served(t, realJob(t, body, patient, one.URL, two.URL))
					require.Len(t, one.Received(), 1)
				}
				require.Len(t, two.Received(), 1)
			})
		}
	}
	t.Run("dead", func(t *testing.T) {
		two := scriptedtest.New(t, scriptedtest.OpenAI)
		served(t, realJob(t, streamBody, patient, unusedAddress(t), two.URL))
	})
}

// served runs the job and checks that the second candidate served it, with nothing of the
// first.
func served(t *testing.T, j dispatch.Job) {
	t.Helper()
	out := &sink{}
	res := dispatch.Run(t.Context(), j, out)
	defer res.Release()
	require.NoError(t, res.Err)
	require.Equal(t, large, res.Served)
	require.Len(t, res.Attempts, 2)
	require.NotEmpty(t, res.Attempts[0].Code)
	require.Empty(t, res.Attempts[1].Code)
	if j.Request.Stream {
		require.Equal(t, []decide.Candidate{large}, out.committed)
		require.Regexp(t, `(?s)^data: \{"id":"chatcmpl-id".*"content":"Hello".*" there.*data: \[DONE\]\n\n$`, out.text.String()+string(res.FinalFrames))
		return
	}
	require.Contains(t, string(res.Response.Body), "Hello there.")
}

// flaky is the behaviour of a provider at the nth call of a run.
type flaky func(n int, ctx context.Context) (*provider.Response, error)

func always(s script) flaky {
	return func(_ int, ctx context.Context) (*provider.Response, error) { return s(ctx, provider.Call{}) }
}

// well responds after 200 ms.
func well(ctx context.Context, call provider.Call) (*provider.Response, error) {
	select {
	case <-time.After(200 * time.Millisecond):
		return answers(whole)(ctx, call)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func unreachable(phase string) script {
	return func(context.Context, provider.Call) (*provider.Response, error) {
		return nil, apperr.New(apperr.ProviderConnection, "no connection").With("phase", phase)
	}
}

func hang(ctx context.Context, _ provider.Call) (*provider.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

const threeProviders = `version: 1
providers:
  one: {kind: openai, base_url: https://one.example/v1, timeouts: {first_token: 5s, idle: 5s, total: 20s}}
  two: {kind: openai, base_url: https://two.example/v1, timeouts: {first_token: 5s, idle: 5s, total: 20s}}
  three: {kind: openai, base_url: https://three.example/v1, timeouts: {first_token: 5s, idle: 5s, total: 20s}}
models:
  m: {endpoints: [{provider: one, model: x}, {provider: two, model: x}, {provider: three, model: x}], context: 8192}
`

// Of three providers one fails. No request fails, and there are few more calls than requests.
func TestARunWithAFailingProvider(t *testing.T) {
	half := func(n int, ctx context.Context) (*provider.Response, error) {
		if n%2 == 0 {
			return fails(apperr.ProviderUpstream)(ctx, provider.Call{})
		}
		return well(ctx, provider.Call{})
	}
	// often fails as slowly as it succeeds, so its error rate is visible at once.
	often := func(n int, ctx context.Context) (*provider.Response, error) {
		reply, err := well(ctx, provider.Call{})
		if n%5 < 2 {
			return fails(apperr.ProviderUpstream)(ctx, provider.Call{})
		}
		return reply, err
	}
	dies := func(how script) flaky {
		return func(n int, ctx context.Context) (*provider.Response, error) {
			if n < 100 {
				return well(ctx, provider.Call{})
			}
			return how(ctx, provider.Call{})
		}
	}
	for name, one := range map[string]flaky{
		"well":                 always(well),
		"stalls":               always(hang),
		"begins to stall":      dies(hang),
		"resets":               always(unreachable("response")),
		"garbage":              always(answers("<html>")),
		"flaps":                half,
		"fails often":          often,
		"dies":                 dies(unreachable("connect")),
		"is not there":         always(unreachable("dns")),
		"limits with a delay":  always(failsAfter(apperr.ProviderRateLimited, 2*time.Second)),
		"limits without":       always(fails(apperr.ProviderRateLimited)),
		"refuses our key":      always(fails(apperr.ProviderAuth)),
		"wants money":          always(fails(apperr.ProviderQuotaExhausted)),
		"does not serve it":    always(fails(apperr.ProviderModelUnavailable)),
		"fails":                always(fails(apperr.ProviderUpstream)),
		"is overloaded":        always(fails(apperr.ProviderOverloaded)),
		"overloaded, and says": always(failsAfter(apperr.ProviderOverloaded, time.Second)),
	} {
		for form, body := range map[string]string{"plain": plainBody, "stream": streamBody} {
			t.Run(name+", "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { aRun(t, one, body) })
			})
		}
	}
}

// A provider that stops responding is noticed before the first waiting request times out.
func TestARunThatDoesNotWait(t *testing.T) {
	silent := func(n int, ctx context.Context) (*provider.Response, error) {
		if n < 100 {
			return well(ctx, provider.Call{})
		}
		return hang(ctx, provider.Call{})
	}
	for form, body := range map[string]string{"plain": plainBody, "stream": streamBody} {
		t.Run(form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRun(t, silent, body)
				for range requests {
					r.wg.Go(r.request)
					<-time.After(20 * time.Millisecond)
				}
				r.check(t)
			})
		})
	}
}

func aRun(t *testing.T, one flaky, body string) {
	r := newRun(t, one, body)
	const workers = 20
	for range workers {
		r.wg.Go(func() {
			for range requests / workers {
				r.request()
				<-time.After(100 * time.Millisecond)
			}
		})
	}
	r.check(t)
}

const requests = 500

// run500 sends many requests to three providers, of which the first is flaky.
type run500 struct {
	job     dispatch.Job
	ctx     context.Context
	wg      sync.WaitGroup
	asked   atomic.Int64
	results chan *dispatch.Result
}

func newRun(t *testing.T, one flaky, body string) *run500 {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(threeProviders), cat)
	require.NoError(t, err)
	req, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	r := &run500{ctx: t.Context(), results: make(chan *dispatch.Result, requests)}
	note := func(s script) script {
		return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
			r.asked.Add(1)
			return s(ctx, call)
		}
	}
	var firsts atomic.Int64
	r.job = dispatch.Job{
		ID: "id", Request: req, Policy: p, Breakers: breaker.NewSet(),
		Plan: []decide.Candidate{{Model: "m", Provider: "one"}, {Model: "m", Provider: "two"}, {Model: "m", Provider: "three"}},
		Providers: upstreams{"two": note(well), "three": note(well), "one": note(func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
			return one(int(firsts.Add(1)), ctx)
		})},
	}
	return r
}

func (r *run500) request() {
	j := r.job
	j.StartedAt = time.Now()
	r.results <- dispatch.Run(r.ctx, j, &sink{})
}

// check waits for all requests and checks that each one succeeded.
func (r *run500) check(t *testing.T) {
	t.Helper()
	r.wg.Wait()
	for range requests {
		res := <-r.results
		require.NoError(t, res.Err, codes(res.Attempts))
		res.Release()
	}
	require.LessOrEqual(t, r.asked.Load(), int64(requests*13/10), "calls")
}
