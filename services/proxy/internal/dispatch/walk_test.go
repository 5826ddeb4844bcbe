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

// under is the job under another policy.
func under(t *testing.T, j dispatch.Job, edit ...string) dispatch.Job {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	j.Policy, err = policy.Compile([]byte(strings.NewReplacer(edit...).Replace(document)), cat)
	require.NoError(t, err)
	return j
}

// counted is the script with a count of its calls.
func counted(s script, n *int) script {
	return func(ctx context.Context, call provider.Call) (*provider.Reply, error) {
		*n++
		return s(ctx, call)
	}
}

// once fails, and then does something else.
func once(first, then script) script {
	calls := 0
	return func(ctx context.Context, call provider.Call) (*provider.Reply, error) {
		if calls++; calls == 1 {
			return first(ctx, call)
		}
		return then(ctx, call)
	}
}

func failsAfter(code apperr.Code, wait time.Duration) script {
	return func(context.Context, provider.Call) (*provider.Reply, error) {
		return nil, apperr.New(code, "upstream failed").After(wait)
	}
}

// codes are those of the attempts, with their models.
func codes(all []ledger.Attempt) []string {
	var out []string
	for _, a := range all {
		out = append(out, strings.TrimSpace(a.Target.Model+" "+a.Code))
	}
	return out
}

func TestTheOnlyTargetIsCalledOnceMore(t *testing.T) {
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
			require.Less(t, time.Since(j.Began), time.Second, "the wait is short")
		})
	}
}

func TestNoTargetIsCalledTwiceWhereThereAreTwo(t *testing.T) {
	res, _ := run(t, plainBody, upstreams{"one": fails(apperr.ProviderUpstream), "two": fails(apperr.ProviderUpstream)})
	require.Equal(t, []string{"small PROVIDER_UPSTREAM_ERROR", "large PROVIDER_UPSTREAM_ERROR"}, codes(res.Attempts))
}

func TestADelayThatIsAskedForIsWaitedFor(t *testing.T) {
	for wait, again := range map[time.Duration]bool{4 * time.Second: true, 6 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			j := job(t, plainBody, upstreams{"one": once(failsAfter(apperr.ProviderOverloaded, wait), answers(whole))})
			j.Plan = j.Plan[:1]
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Equal(t, again, res.Err == nil)
			if again {
				require.Equal(t, wait, res.Attempts[1].Started)
			} else {
				require.Zero(t, time.Since(j.Began), "longer than a first token may take")
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, call provider.Call) (*provider.Reply, error) {
			<-time.After(17 * time.Second)
			return failsAfter(apperr.ProviderOverloaded, 4*time.Second)(ctx, call)
		}
		j := job(t, plainBody, upstreams{"one": once(slow, answers(whole))})
		j.Plan = j.Plan[:1]
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Error(t, res.Err)
		require.Equal(t, 17*time.Second, time.Since(j.Began), "there would be no time left")
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

func TestThePolicySaysAfterWhatToGoOn(t *testing.T) {
	for _, code := range []apperr.Code{apperr.ProviderUpstream, apperr.ProviderTimeout} {
		j := under(t, job(t, plainBody, upstreams{"one": fails(code), "two": answers(whole)}), "{max: 2}", "{max: 2, on: [timeout]}")
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Equal(t, code == apperr.ProviderTimeout, res.Err == nil, code)
	}
	j := under(t, job(t, plainBody, upstreams{"one": fails(apperr.ProviderUpstream), "two": answers(whole)}), "{max: 2}", "{max: 0}")
	require.Len(t, dispatch.Run(t.Context(), j, &sink{}).Attempts, 1)
	// Not to have reached it is of the connection, even where that took long.
	unreached := func(context.Context, provider.Call) (*provider.Reply, error) {
		return nil, apperr.New(apperr.ProviderTimeout, "connecting took too long").With("phase", "connect")
	}
	j = under(t, job(t, plainBody, upstreams{"one": unreached, "two": answers(whole)}), "{max: 2}", "{max: 2, on: [connect]}")
	require.NoError(t, dispatch.Run(t.Context(), j, &sink{}).Err)
}

func TestWhatIsTooLongGoesToALargerWindow(t *testing.T) {
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

// broken makes a set in which the breaker of targets is open.
func broken(targets ...decide.Target) *breaker.Set {
	set := breaker.NewSet()
	for _, t := range targets {
		for range 10 {
			c, _, _ := set.Ask(t, breaker.Kind{})
			c.End(breaker.Failed, 0)
		}
	}
	return set
}

func TestATargetOutOfUseIsSkipped(t *testing.T) {
	var n int
	j := job(t, plainBody, upstreams{"one": counted(answers(whole), &n), "two": answers(whole)})
	j.Breakers = broken(small)
	res := dispatch.Run(t.Context(), j, &sink{})
	require.NoError(t, res.Err)
	require.Equal(t, large, res.Served)
	require.Zero(t, n)
	require.Equal(t, []string{"small BREAKER_OPEN", "large"}, codes(res.Attempts), "the record says why")
	require.False(t, res.Attempts[0].Called())
	require.Nil(t, res.Attempts[0].Usage)
}

func TestTheLastTargetIsNeverOutOfUse(t *testing.T) {
	for name, tt := range map[string]struct {
		open []decide.Target
		u    upstreams
		want []string
	}{
		"the only one":       {[]decide.Target{small, large}, upstreams{"one": answers(whole)}, []string{"small"}},
		"the other one":      {[]decide.Target{large}, upstreams{"one": fails(apperr.ProviderAuth), "two": answers(whole)}, []string{"small PROVIDER_AUTH_ERROR", "large"}},
		"both, one answers":  {[]decide.Target{small, large}, upstreams{"one": fails(apperr.ProviderAuth), "two": answers(whole)}, []string{"small PROVIDER_AUTH_ERROR", "large"}},
		"again, then others": {[]decide.Target{large}, upstreams{"one": fails(apperr.ProviderUpstream), "two": answers(whole)}, []string{"small PROVIDER_UPSTREAM_ERROR", "large BREAKER_OPEN", "small PROVIDER_UPSTREAM_ERROR", "large"}},
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

func TestTheOneThatComesBackFirstIsInsistedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, plainBody, upstreams{"one": answers(whole), "two": answers(whole)})
		j.Breakers = broken(large)
		<-time.After(time.Second)
		for range 10 {
			c, _, _ := j.Breakers.Ask(small, breaker.Kind{})
			c.End(breaker.Failed, 0)
		}
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Equal(t, []string{"small BREAKER_OPEN", "large"}, codes(res.Attempts))
	})
}

func TestOverTheBudgetNothingIsTriedAgain(t *testing.T) {
	set := broken(large)
	for range 3 {
		_, answer := set.Insist(large, breaker.Kind{Retry: true})
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

// What an attempt ends with is what the breakers learn.
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
			require.Equal(t, tt.open, !j.Breakers.Usable(small), fmt.Sprint(tt.name, body))
			require.True(t, j.Breakers.Usable(large))
		}
	}
}

// A limit takes a target out of use at once; what one caller may have caused,
// only in a row.
func TestBreakersTellFailuresApart(t *testing.T) {
	turns := func(code apperr.Code) script {
		calls := 0
		return func(ctx context.Context, call provider.Call) (*provider.Reply, error) {
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

// Whoever was given what others had left of the time has proved nothing.
func TestLittleTimeIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := breaker.NewSet()
		for range 10 {
			j := job(t, plainBody, upstreams{"one": hang, "two": hang})
			j.Breakers = set
			require.True(t, apperr.Is(dispatch.Run(t.Context(), j, &sink{}).Err, apperr.ProviderTimeout))
		}
		require.False(t, set.Usable(small))
		require.True(t, set.Usable(large))
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

// strained is a set in which these targets fail too often.
func strained(all ...decide.Target) *breaker.Set {
	set := breaker.NewSet()
	for _, t := range all {
		for n := range 100 {
			c, _, _ := set.Ask(t, breaker.Kind{})
			c.End([]breaker.Verdict{breaker.Failed, breaker.Good, breaker.Good}[n%3], 0)
		}
	}
	return set
}

func TestAStrainedTargetIsCalledAgainWhereItIsTheOnlyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, plainBody, upstreams{"one": once(fails(apperr.ProviderUpstream), answers(whole))})
		j.Plan, j.Breakers = []decide.Target{small}, strained(small)
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err)
		require.Equal(t, []string{"small PROVIDER_UPSTREAM_ERROR", "small"}, codes(res.Attempts))
	})
}

// A target for which there was no retry left is asked when there is one.
func TestTheBudgetIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := strained(large)
		for range 3 {
			c, answer := set.Insist(large, breaker.Kind{Retry: true})
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

// A target that is strained is spared for a sound one, and is the next to be
// asked when that fails; where there is no sound one it is asked first.
func TestAStrainedTargetIsSpared(t *testing.T) {
	for name, tt := range map[string]struct {
		who  []decide.Target
		two  script
		want []string
	}{
		"a sound one":  {[]decide.Target{small}, answers(whole), []string{"small BREAKER_OPEN", "large"}},
		"which fails":  {[]decide.Target{small}, fails(apperr.ProviderUpstream), []string{"small BREAKER_OPEN", "large PROVIDER_UPSTREAM_ERROR", "small"}},
		"no sound one": {[]decide.Target{small, large}, answers(whole), []string{"small"}},
	} {
		j := job(t, plainBody, upstreams{"one": answers(whole), "two": tt.two})
		j.Breakers = strained(tt.who...)
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err, name)
		require.Equal(t, tt.want, codes(res.Attempts), name)
	}
}
