package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

const lost = "PROVIDER_CONNECTION_ERROR"

// stale loses a reused connection after the request was written.
func stale(context.Context, provider.Call) (*provider.Response, error) {
	return nil, &provider.RepeatError{
		Reason: provider.StaleConnection,
		Err:    apperr.New(apperr.ProviderConnection, "the connection failed").With("phase", "request"),
	}
}

func TestAStaleConnectionIsAnAttempt(t *testing.T) {
	for name, tt := range map[string]struct {
		retries  string
		one, two script
		want     []string
	}{
		"at once":                {"{max: 2}", once(stale, answers(whole)), nil, []string{"small " + lost, "small"}},
		"only once":              {"{max: 2}", stale, answers(whole), []string{"small " + lost, "small " + lost, "large"}},
		"then another failure":   {"{max: 2}", once(stale, fails(apperr.ProviderUpstream)), answers(whole), []string{"small " + lost, "small PROVIDER_UPSTREAM_ERROR", "large"}},
		"last retry":             {"{max: 1}", once(stale, answers(whole)), answers(whole), []string{"small " + lost, "large"}},
		"no retries":             {"{max: 0}", once(stale, answers(whole)), answers(whole), []string{"small " + lost}},
		"connect is not allowed": {"{on: [timeout]}", once(stale, answers(whole)), answers(whole), []string{"small " + lost}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := under(t, job(t, plainBody, upstreams{"one": tt.one, "two": tt.two}), "{max: 2}", tt.retries)
				j.Breakers = breaker.NewSet()
				res := dispatch.Run(t.Context(), j, &sink{})
				require.Equal(t, tt.want, codes(res.Attempts))
				require.Equal(t, len(tt.want) > 1, res.Err == nil)
				require.Zero(t, time.Since(j.StartedAt), "without a pause")
				require.Positive(t, res.Attempts[0].Usage.Input, "it may be billed")
				require.True(t, res.Attempts[0].Estimated)
			})
		})
	}
}

// The only candidate gets its retry after a pause, whether or not a connection was stale before.
func TestAStaleConnectionIsNotTheRetryAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := job(t, plainBody, upstreams{"one": once(stale, once(fails(apperr.ProviderUpstream), answers(whole)))})
		j.Plan = j.Plan[:1]
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err)
		require.Equal(t, []string{"small " + lost, "small PROVIDER_UPSTREAM_ERROR", "small"}, codes(res.Attempts))
	})
}

// A stale connection counts like a failure to connect: not at all while no other provider is
// reached. The second one of a request counts.
func TestBreakersAndStaleConnections(t *testing.T) {
	for name, tt := range map[string]struct {
		one  script
		runs int
		open bool
	}{
		"once per request":  {nil, 50, false},
		"twice per request": {stale, 12, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			set := breaker.NewSet()
			for range tt.runs {
				one := tt.one
				if one == nil {
					one = once(stale, fails(apperr.ProviderBadRequest))
				}
				j := job(t, plainBody, upstreams{"one": one})
				j.Plan, j.Breakers = j.Plan[:1], set
				require.Error(t, dispatch.Run(t.Context(), j, &sink{}).Err)
			}
			require.Equal(t, tt.open, !set.IsAvailable(small), name)
		})
	}
}

// The upstream closes a kept-alive connection when the second request arrives.
func TestALostConnectionOfARealUpstream(t *testing.T) {
	for name, body := range map[string]string{"plain": plainBody, "stream": streamBody} {
		t.Run(name, func(t *testing.T) {
			u := scriptedtest.New(t, scriptedtest.OpenAI)
			j := realJob(t, body, patient, u.URL, u.URL)
			j.Plan = []decide.Candidate{small}
			res := dispatch.Run(t.Context(), j, &sink{})
			require.NoError(t, res.Err)
			res.Release()
			u.Script(scripted.Response{Ending: scripted.Close})
			res = dispatch.Run(t.Context(), j, &sink{})
			require.NoError(t, res.Err)
			res.Release()
			require.Equal(t, []string{"small " + lost, "small"}, codes(res.Attempts))
			require.Len(t, u.Received(), 3)
		})
	}
}

// A repetition counts against the provider's limits.
func TestARepetitionReservesACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := limited(t, upstreams{"one": once(stale, answers(whole)), "two": answers(whole)}, "{requests: 1}", "{}")
		res := dispatch.Run(t.Context(), j, &sink{})
		require.Equal(t, []string{"small " + lost, "large"}, codes(res.Attempts))
	})
}

func TestARepetitionUsesTheRetryBudget(t *testing.T) {
	set := broken(small)
	for range 10 {
		_, admission := set.Force(small, breaker.Kind{Retry: true})
		require.Equal(t, breaker.Admitted, admission)
	}
	j := job(t, plainBody, upstreams{"one": once(stale, answers(whole))})
	j.Plan, j.Breakers = j.Plan[:1], set
	res := dispatch.Run(t.Context(), j, &sink{})
	require.Equal(t, []string{"small " + lost}, codes(res.Attempts))
	require.Equal(t, "used up", apperr.From(res.Err).Details["retry_budget"])
}
