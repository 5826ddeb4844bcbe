package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// withMaxCost returns a job with a maximum cost in nano-USD. One call of small costs at most 1,000
// nano-USD and one of large at most 10,000.
func withMaxCost(t *testing.T, maxCost int64, u upstreams) dispatch.Job {
	t.Helper()
	j := under(t, job(t, plainBody, u),
		"up-s}], context: 8192", `up-s}], context: 8192, price: {input: "0.1", output: "1"}`,
		"up-l}], context: 8192", `up-l}], context: 8192, price: {input: "1", output: "10"}`)
	j.Question = &decide.Question{Kind: catalog.Chat, MaxOutputTokens: 1, MaxCost: decide.KnownInt(maxCost)}
	j.Breakers = breaker.NewSet()
	return j
}

// No attempt can bring a request above its maximum cost, neither on another candidate nor on the
// same one.
func TestAttemptsStayWithinTheMaximumCost(t *testing.T) {
	down, billed := fails(apperr.ProviderUpstream), answers(`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`)
	for name, tt := range map[string]struct {
		maxCost  int64
		one, two script
		want     []string
	}{
		"fallback fits":           {10_000, down, answers(whole), []string{"small PROVIDER_UPSTREAM_ERROR", "large"}},
		"fallback is too dear":    {9_999, once(down, answers(whole)), answers(whole), []string{"small PROVIDER_UPSTREAM_ERROR", "small"}},
		"retry fits":              {1_000, once(down, answers(whole)), nil, []string{"small PROVIDER_UPSTREAM_ERROR", "small"}},
		"failed attempts count":   {10_000, billed, answers(whole), []string{"small PROVIDER_INVALID_RESPONSE"}},
		"failed attempts and fit": {20_000, billed, answers(whole), []string{"small PROVIDER_INVALID_RESPONSE", "large"}},
		"repetition is too dear":  {1_000, once(stale, answers(whole)), answers(whole), []string{"small " + lost}},
		"nothing fits":            {999, answers(whole), answers(whole), nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res := dispatch.Run(t.Context(), withMaxCost(t, tt.maxCost, upstreams{"one": tt.one, "two": tt.two}), &sink{})
				require.Equal(t, tt.want, codes(res.Attempts))
			})
		})
	}
}

func TestTheErrorTellsThatTheMaximumCostIsReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := fails(apperr.ProviderUpstream)
		res := dispatch.Run(t.Context(), withMaxCost(t, 9_999, upstreams{"one": down, "two": down}), &sink{})
		require.Equal(t, "reached", apperr.From(res.Err).Details["max_cost"])
		res = dispatch.Run(t.Context(), withMaxCost(t, 999, upstreams{"one": down, "two": down}), &sink{})
		require.True(t, apperr.Is(res.Err, apperr.MaxCostExceeded))
	})
}

// An effort of the candidate is sent as if the client had set it. Attempts with other efforts do
// not share it, and the breaker is that of the endpoint.
func TestTheEffortOfACandidateIsSent(t *testing.T) {
	var bodies []string
	keep := func(s script) script {
		return func(ctx context.Context, call provider.Call) (*provider.Response, error) {
			bodies = append(bodies, string(call.Request.Body))
			return s(ctx, call)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		low, none := decide.Candidate{Model: "small", Provider: "one", Effort: "low"}, small
		j := job(t, plainBody, upstreams{"one": keep(once(fails(apperr.ProviderUpstream), answers(whole)))})
		j.Plan, j.Breakers = []decide.Candidate{low, none}, breaker.NewSet()
		res := dispatch.Run(t.Context(), j, &sink{})
		require.NoError(t, res.Err)
		require.Equal(t, []decide.Candidate{low, none}, []decide.Candidate{res.Attempts[0].Candidate, res.Served})
		require.JSONEq(t, `{"reasoning_effort":"low","model":"auto","messages":[{"role":"user","content":"hi"}]}`, bodies[0])
		require.JSONEq(t, plainBody, bodies[1])
		require.Len(t, j.Breakers.Statuses(), 1)
	})
}
