package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// under returns the job under another policy.
func under(t *testing.T, j dispatch.Job, edit ...string) dispatch.Job {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	j.Policy, err = policy.Compile([]byte(strings.NewReplacer(edit...).Replace(document)), cat)
	require.NoError(t, err)
	return j
}

// counted returns the script with a counter of its calls.
func counted(s script, n *int) script {
	return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
		*n++
		return s(ctx, call)
	}
}

// once fails at the first call and runs another script after that.
func once(first, then script) script {
	calls := 0
	return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
		if calls++; calls == 1 {
			return first(ctx, call)
		}
		return then(ctx, call)
	}
}

func failsAfter(code apperr.Code, wait time.Duration) script {
	return func(context.Context, provider.Call) (*provider.Response, error) {
		return nil, apperr.New(code, "upstream failed").WithRetryAfter(wait)
	}
}

// codes returns the models and codes of the attempts.
func codes(all []ledger.Attempt) []string {
	var out []string
	for _, a := range all {
		out = append(out, strings.TrimSpace(a.Candidate.Model+" "+a.Code))
	}
	return out
}

func TestTheOnlyCandidateIsRetried(t *testing.T) {
	for code, want := range map[apperr.Code]int{
		apperr.ProviderConnection: 2, apperr.ProviderUpstream: 2, apperr.ProviderOverloaded: 2,
		apperr.ProviderRateLimited: 1, apperr.ProviderTimeout: 1, apperr.ProviderAuth: 1, apperr.ProviderQuotaExhausted: 1,
		apperr.ProviderModelUnavailable: 1, apperr.ProviderInvalidResponse: 1, apperr.ProviderBadRequest: 1,
	} {
		synctest.Test(t, func(t *testing.T) {
			var n int
			j := job(t, plainBody, upstreams{"one": counted(once(fails(code), answers(whole)), &n)})
			j.Plan, j.Breakers = j.Plan[:1], breaker.NewSet()
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Equal(t, want, n, code)
			require.Equal(t, want == 2, res.Err == nil, code)
			require.Len(t, res.Attempts, n)
			require.Less(t, time.Since(j.StartedAt), time.Second, "the wait is short")
		})
	}
}

func TestNoCandidateIsCalledTwiceIfThereAreTwo(t *testing.T) {
	res, _ := run(t, plainBody, upstreams{"one": fails(apperr.ProviderUpstream), "two": fails(apperr.ProviderUpstream)})
	require.Equal(t, []string{"small PROVIDER_UPSTREAM_ERROR", "large PROVIDER_UPSTREAM_ERROR"}, codes(res.Attempts))
}

func TestRetryAfterIsRespected(t *testing.T) {
	for wait, again := range map[time.Duration]bool{4 * time.Second: true, 6 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			j := job(t, plainBody, upstreams{"one": once(failsAfter(apperr.ProviderOverloaded, wait), answers(whole))})
			j.Plan = j.Plan[:1]
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Equal(t, again, res.Err == nil)
			if again {
				require.Equal(t, wait, res.Attempts[1].Started)
			} else {
				require.Zero(t, time.Since(j.StartedAt), "longer than a first token may take")
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, call provider.Call) (*provider.Response, error) {
			<-time.After(17 * time.Second)
			return failsAfter(apperr.ProviderOverloaded, 4*time.Second)(ctx, call)
		}
		j := job(t, plainBody, upstreams{"one": once(slow, answers(whole))})
		j.Plan = j.Plan[:1]
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Error(t, res.Err)
		require.Equal(t, 17*time.Second, time.Since(j.StartedAt), "there would be no time left")
	})
	synctest.Test(t, func(t *testing.T) {
		res, _ := run(t, plainBody, upstreams{"one": failsAfter(apperr.ProviderRateLimited, 4*time.Second), "two": answers(whole)})
		require.NoError(t, res.Err)
		require.Zero(t, res.Attempts[1].Started, "another target need not wait")
	})
}

func TestAClientThatLeavesWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		j := job(t, plainBody, upstreams{"one": failsAfter(apperr.ProviderOverloaded, 4*time.Second)})
		j.Plan = j.Plan[:1]
		res := dispatch.Run(ctx, j, &sink{})
		require.True(t, apperr.Is(res.Err, apperr.ClientCancelled))
		require.Len(t, res.Attempts, 1)
	})
}

func TestThePolicyDefinesRetryableFailures(t *testing.T) {
	for _, code := range []apperr.Code{apperr.ProviderUpstream, apperr.ProviderTimeout} {
		j := under(t, job(t, plainBody, upstreams{"one": fails(code), "two": answers(whole)}), "{max: 2}", "{max: 2, on: [timeout]}")
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Equal(t, code == apperr.ProviderTimeout, res.Err == nil, code)
	}
	j := under(t, job(t, plainBody, upstreams{"one": fails(apperr.ProviderUpstream), "two": answers(whole)}), "{max: 2}", "{max: 0}")
	require.Len(t, dispatch.Run(t.Context(), j, &sink{}).Attempts, 1)
	// A failure to connect is a connect failure, even after a long time.
	unreached := func(context.Context, provider.Call) (*provider.Response, error) {
		return nil, apperr.New(apperr.ProviderTimeout, "connecting took too long").With("phase", "connect")
	}
	j = under(t, job(t, plainBody, upstreams{"one": unreached, "two": answers(whole)}), "{max: 2}", "{max: 2, on: [connect]}")
	require.NoError(t, dispatch.Run(t.Context(), j, &sink{}).Err)
}

func TestATooLongRequestGoesToALargerContext(t *testing.T) {
	var n int
	u := upstreams{"one": fails(apperr.ContextLengthExceeded), "two": counted(answers(whole), &n)}
	res, _ := run(t, plainBody, u)
	require.True(t, apperr.Is(res.Err, apperr.ContextLengthExceeded))
	require.Zero(t, n, "the same window is no help")
	for _, window := range []string{"up-l}], context: 16384", "up-l, context: 9000}]"} {
		j := under(t, job(t, plainBody, u), "up-l}], context: 8192", window)
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err, window)
		require.Equal(t, large, res.Served)
	}
}

// broken returns a set in which the breakers of the candidates are open.
func broken(targets ...decide.Candidate) *breaker.Set {
	set := breaker.NewSet()
	for _, t := range targets {
		for range 10 {
			c, _, _ := set.Admit(t, breaker.Kind{})
			c.End(breaker.Failed, 0)
		}
	}
	return set
}

func TestAnOpenBreakerIsSkipped(t *testing.T) {
	var n int
	j := job(t, plainBody, upstreams{"one": counted(answers(whole), &n), "two": answers(whole)})
	j.Breakers = broken(small)
	res := dispatch.Run(t.Context(), j, &sink{})
	require.NoError(t, res.Err)
	require.Equal(t, large, res.Served)
	require.Zero(t, n)
	require.Equal(t, []string{"small BREAKER_OPEN", "large"}, codes(res.Attempts), "the record says why")
	require.False(t, res.Attempts[0].WasCalled())
	require.Nil(t, res.Attempts[0].Usage)
}

func TestTheLastCandidateIsForced(t *testing.T) {
	for name, tt := range map[string]struct {
		open []decide.Candidate
		u    upstreams
		want []string
	}{
		"the only one":       {[]decide.Candidate{small, large}, upstreams{"one": answers(whole)}, []string{"small"}},
		"the other one":      {[]decide.Candidate{large}, upstreams{"one": fails(apperr.ProviderAuth), "two": answers(whole)}, []string{"small PROVIDER_AUTH_ERROR", "large"}},
		"both, one answers":  {[]decide.Candidate{small, large}, upstreams{"one": fails(apperr.ProviderAuth), "two": answers(whole)}, []string{"small PROVIDER_AUTH_ERROR", "large"}},
		"again, then others": {[]decide.Candidate{large}, upstreams{"one": fails(apperr.ProviderUpstream), "two": answers(whole)}, []string{"small PROVIDER_UPSTREAM_ERROR", "large BREAKER_OPEN", "small PROVIDER_UPSTREAM_ERROR", "large"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := job(t, plainBody, tt.u)
			j.Breakers = broken(tt.open...)
			res := dispatch.Run(t.Context(), j, &sink{})
			require.NoError(t, res.Err, name)
			require.Equal(t, tt.want, codes(res.Attempts), name)
		})
	}
}

// If every candidate is known to be down, most requests fail without a call, and none waits for a
// second call that the breaker would not admit.
func TestKnownFailuresAreReportedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n int
		j := job(t, plainBody, upstreams{"one": counted(fails(apperr.ProviderOverloaded), &n)})
		j.Plan, j.Breakers = j.Plan[:1], broken(small)
		start := time.Now()
		res := dispatch.Run(t.Context(), j, &sink{})
		require.True(t, apperr.Is(res.Err, apperr.ProviderOverloaded))
		for range 10 {
			res = dispatch.Run(t.Context(), j, &sink{})
			require.True(t, apperr.Is(res.Err, apperr.NoRouteAvailable))
			require.Positive(t, apperr.From(res.Err).RetryAfter)
			require.Equal(t, []string{"small BREAKER_OPEN"}, codes(res.Attempts))
		}
		require.Equal(t, 1, n)
		require.Equal(t, start, time.Now(), "nothing waits; the clock is the bubble's")
		<-time.After(time.Second)
		require.True(t, apperr.Is(dispatch.Run(t.Context(), j, &sink{}).Err, apperr.ProviderOverloaded), "it is probed")
		require.Equal(t, 2, n)
	})
}

func TestTheOneThatComesBackFirstIsInsistedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, plainBody, upstreams{"one": answers(whole), "two": answers(whole)})
		j.Breakers = broken(large)
		<-time.After(time.Second)
		for range 10 {
			c, _, _ := j.Breakers.Admit(small, breaker.Kind{})
			c.End(breaker.Failed, 0)
		}
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Equal(t, []string{"small BREAKER_OPEN", "large"}, codes(res.Attempts))
	})
}

func TestOverTheBudgetNothingIsTriedAgain(t *testing.T) {
	set := broken(large)
	for range 10 {
		_, answer := set.Force(large, breaker.Kind{Retry: true})
		require.Equal(t, breaker.Admitted, answer)
	}
	var n int
	j := job(t, plainBody, upstreams{"one": fails(apperr.ProviderAuth), "two": counted(answers(whole), &n)})
	j.Breakers = set
	res := dispatch.Run(t.Context(), j, &sink{})
	require.True(t, apperr.Is(res.Err, apperr.ProviderAuth), "the error as it is")
	require.Equal(t, "used up", apperr.From(res.Err).Details["retry_budget"])
	require.Zero(t, n)
}

// The end of an attempt is reported to the breaker.
func TestBreakersLearn(t *testing.T) {
	for _, tt := range []struct {
		name string
		one  script
		open bool
	}{
		{"upstream", fails(apperr.ProviderUpstream), true},
		{"credential", fails(apperr.ProviderAuth), true},
		{"quota", fails(apperr.ProviderQuotaExhausted), true},
		{"absent", fails(apperr.ProviderModelUnavailable), true},
		{"garbage", answers("{"), true},
		{"limit", fails(apperr.ProviderRateLimited), true},
		{"bad request", fails(apperr.ProviderBadRequest), false},
		{"context", fails(apperr.ContextLengthExceeded), false},
		{"unsupported", fails(apperr.UnsupportedParameter), false},
		{"filtered", fails(apperr.ContentFiltered), false},
		{"ours", fails(apperr.Internal), false},
		{"well", answers(whole), false},
	} {
		for _, body := range []string{plainBody, streamBody} {
			j := job(t, body, upstreams{"one": tt.one, "two": answers(whole)})
			j.Breakers = breaker.NewSet()
			for range 12 {
				res := dispatch.Run(t.Context(), j, &sink{})
				res.Release()
			}
			require.Equal(t, tt.open, !j.Breakers.IsAvailable(small), fmt.Sprint(tt.name, body))
			require.True(t, j.Breakers.IsAvailable(large))
		}
	}
}

// A rate limit opens the breaker at once. Failures that a caller may have caused open it only in
// a row.
func TestBreakersTellFailuresApart(t *testing.T) {
	turns := func(code apperr.Code) script {
		calls := 0
		return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
			if calls++; calls%2 == 0 {
				return fails(code)(ctx, call)
			}
			return answers(whole)(ctx, call)
		}
	}
	for code, want := range map[apperr.Code]int{
		apperr.ProviderRateLimited: 2, apperr.ProviderUpstream: 10, apperr.ProviderModelUnavailable: 30, apperr.ProviderBadRequest: 30,
	} {
		var n int
		j := job(t, plainBody, upstreams{"one": counted(turns(code), &n), "two": answers(whole)})
		j.Breakers = breaker.NewSet()
		for range 30 {
			dispatch.Run(t.Context(), j, &sink{})
		}
		require.Equal(t, want, n, code)
	}
}

// A timeout says nothing about a candidate that had only the rest of the time.
func TestLittleTimeIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := breaker.NewSet()
		for range 10 {
			j := job(t, plainBody, upstreams{"one": hang, "two": hang})
			j.Breakers = set
			require.True(t, apperr.Is(dispatch.Run(t.Context(), j, &sink{}).Err, apperr.ProviderTimeout))
		}
		require.False(t, set.IsAvailable(small))
		require.True(t, set.IsAvailable(large))
	})
}

func TestAStreamThatBreaksOffCountsToo(t *testing.T) {
	j := job(t, streamBody, upstreams{"one": streams(apperr.New(apperr.ProviderConnection, "reset"), deltaA), "two": answers(whole)})
	j.Breakers = breaker.NewSet()
	for range 10 {
		require.True(t, apperr.Is(dispatch.Run(t.Context(), j, &sink{}).Err, apperr.ProviderInterrupted))
	}
	require.NoError(t, dispatch.Run(t.Context(), j, &sink{}).Err)
}

// degradedSet returns a set in which these candidates are degraded.
func degradedSet(all ...decide.Candidate) *breaker.Set {
	set := breaker.NewSet()
	for _, t := range all {
		for n := range 100 {
			c, _, _ := set.Admit(t, breaker.Kind{})
			c.End([]breaker.Verdict{breaker.Failed, breaker.Good, breaker.Good}[n%3], 0)
		}
	}
	return set
}

func TestTheOnlyCandidateIsRetriedWhenDegraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, plainBody, upstreams{"one": once(fails(apperr.ProviderUpstream), answers(whole))})
		j.Plan, j.Breakers = []decide.Candidate{small}, degradedSet(small)
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err)
		require.Equal(t, []string{"small PROVIDER_UPSTREAM_ERROR", "small"}, codes(res.Attempts))
	})
}

// A candidate that was skipped for lack of a retry is called when the budget allows it.
func TestTheRetryBudgetIsCheckedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := degradedSet(large)
		for range 10 {
			c, answer := set.Force(large, breaker.Kind{Retry: true})
			require.Equal(t, breaker.Admitted, answer)
			time.AfterFunc(time.Nanosecond, func() { c.End(breaker.Good, 0) })
		}
		j := job(t, plainBody, upstreams{"one": fails(apperr.ProviderUpstream), "two": answers(whole)})
		j.Breakers = set
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err)
		require.Equal(t, []string{"small PROVIDER_UPSTREAM_ERROR", "small PROVIDER_UPSTREAM_ERROR", "large"}, codes(res.Attempts))
	})
}

// A degraded candidate is called after a healthy one has failed. Without a healthy candidate it is
// called first.
func TestADegradedCandidateIsDeferred(t *testing.T) {
	for name, tt := range map[string]struct {
		who  []decide.Candidate
		two  script
		want []string
	}{
		"a sound one":  {[]decide.Candidate{small}, answers(whole), []string{"small BREAKER_OPEN", "large"}},
		"which fails":  {[]decide.Candidate{small}, fails(apperr.ProviderUpstream), []string{"small BREAKER_OPEN", "large PROVIDER_UPSTREAM_ERROR", "small"}},
		"no sound one": {[]decide.Candidate{small, large}, answers(whole), []string{"small"}},
	} {
		j := job(t, plainBody, upstreams{"one": answers(whole), "two": tt.two})
		j.Breakers = degradedSet(tt.who...)
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err, name)
		require.Equal(t, tt.want, codes(res.Attempts), name)
	}
}
