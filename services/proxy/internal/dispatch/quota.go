package dispatch

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// quotaPrefix starts the account id under which package limits counts a provider's
// limits. No real account id starts with it.
const quotaPrefix = "provider "

// reserveQuota reserves one call within the limits of the candidate's provider. All
// proxies share these limits. If no call is left, it returns when to try again.
func (pk *picker) reserveQuota(client context.Context, t decide.Candidate) (pass *limits.Admission, until time.Time, ok bool) {
	p, known := pk.job.Policy.Provider(t.Provider)
	if pk.job.Limits == nil || !known || p.Limits == (policy.Limits{}) {
		return nil, time.Time{}, true
	}
	ctx, cancel := context.WithDeadlineCause(client, pk.deadline, errTotal)
	defer cancel()
	pass, err := pk.job.Limits.Admit(ctx, &limits.Caller{AccountID: quotaPrefix + t.Provider, Account: limits.Set{
		RequestsPerMinute: p.Limits.RequestsPerMinute, TokensPerMinute: p.Limits.TokensPerMinute, Concurrent: p.Limits.Concurrent,
	}})
	if err == nil {
		err = pass.Reserve(ctx, pk.estimateCallTokens(t, p.Limits.TokensPerMinute), 0)
	}
	if err != nil {
		pass.Release()
		return nil, time.Now().Add(apperr.From(err).RetryAfter), false
	}
	return pass, time.Time{}, true
}

// ReserveSpareQuota reserves one call within the limits of the candidate's provider, for work
// that no client waits for. It fails unless at least half of each limit is still free then.
// The caller must settle and release the result, which is nil without limits.
func ReserveSpareQuota(ctx context.Context, l *limits.Limiter, p *policy.Policy, t decide.Candidate, req *requestbody.Request) (*limits.Admission, error) {
	pk := &picker{job: &Job{Limits: l, Policy: p, Request: req}, deadline: time.Now().Add(quotaTimeout)}
	pass, _, ok := pk.reserveQuota(ctx, t)
	if !ok {
		return nil, pk.noCallError()
	}
	for _, status := range pass.Statuses() {
		if status.Remaining < status.Limit/2 {
			pass.Release()
			return nil, pk.noCallError()
		}
	}
	return pass, nil
}

// quotaTimeout limits how long ReserveSpareQuota waits for the shared counters.
const quotaTimeout = time.Second

// estimateCallTokens estimates how many tokens a call will use. The estimate is at most
// the provider's limit per minute, because a call that needs more could never start.
func (pk *picker) estimateCallTokens(t decide.Candidate, maxTokens int64) int64 {
	u := catalog.Usage{Input: newEstimate(pk.job, t).input, Output: pk.job.Request.MaxOutputTokens}
	if u.Output <= 0 {
		u.Output = decide.PredictedOutputTokens
	}
	return min(u.Total(), maxTokens)
}

// settleQuota counts the usage of a call, if known, against the provider's limits. Then it
// frees the reservation.
func settleQuota(pass *limits.Admission, a *ledger.Attempt) {
	if u := a.Usage; u != nil {
		pass.Settle(u.Total(), 0)
	}
	pass.Release()
}

// noCallError is the error when no candidate of the plan may be called: every provider is at its
// limit or failed a moment ago.
func (pk *picker) noCallError() error {
	if pk.costReached && len(pk.deferred) == 0 {
		return pk.maxCostError()
	}
	var soonest time.Time
	atLimit := true
	for _, a := range pk.deferred {
		if atLimit = atLimit && a.atLimit; a.atLimit && (soonest.IsZero() || a.retryAt.Before(soonest)) {
			soonest = a.retryAt
		}
	}
	if !atLimit {
		return apperr.New(apperr.NoRouteAvailable, "every provider that could serve the request is failing; try again shortly").WithRetryAfter(time.Second)
	}
	return apperr.New(apperr.NoRouteAvailable, "every provider that could serve the request is at the limit set in the policy; try again shortly").
		WithRetryAfter(max(time.Second, time.Until(soonest)))
}
