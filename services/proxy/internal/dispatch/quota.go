package dispatch

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// quotaOf is before a provider's name where limits are counted by account, which
// no account's id begins with.
const quotaOf = "provider "

// quota takes a call of what a target's provider lets all proxies do together,
// or tells when to ask again.
func (w *walk) quota(client context.Context, t decide.Target) (pass *limits.Pass, until time.Time, ok bool) {
	p, known := w.job.Policy.Provider(t.Provider)
	if w.job.Limits == nil || !known || p.Limits == (policy.Limits{}) {
		return nil, time.Time{}, true
	}
	ctx, cancel := context.WithDeadlineCause(client, w.deadline, errTotal)
	defer cancel()
	pass, err := w.job.Limits.Enter(ctx, &limits.Caller{AccountID: quotaOf + t.Provider, Account: limits.Set{
		RequestsPerMinute: p.Limits.Requests, TokensPerMinute: p.Limits.Tokens, Concurrent: p.Limits.Concurrent,
	}})
	if err == nil {
		err = pass.Reserve(ctx, w.expected(t, p.Limits.Tokens), 0)
	}
	if err != nil {
		pass.Leave()
		return nil, time.Now().Add(apperr.From(err).RetryAfter), false
	}
	return pass, time.Time{}, true
}

// expected is how many tokens a call will take, and no more than a minute may
// have: what is longer is tried when the whole minute is free.
func (w *walk) expected(t decide.Target, most int64) int64 {
	u := catalog.Usage{Input: countsOf(w.job, t).input, Output: w.job.Request.MaxOutputTokens}
	if u.Output <= 0 {
		u.Output = decide.PredictedOutput
	}
	return min(u.Total(), most)
}

// settle counts what a call has used of its provider's limits.
func settle(pass *limits.Pass, a *ledger.Attempt) {
	if u := a.Usage; u != nil {
		pass.Settle(u.Total(), 0)
	}
	pass.Leave()
}

// allAtLimit is the answer when no provider of the plan may be called.
func (w *walk) allAtLimit() error {
	var soonest time.Time
	for _, a := range w.aside {
		if a.limited && (soonest.IsZero() || a.until.Before(soonest)) {
			soonest = a.until
		}
	}
	return apperr.New(apperr.NoRouteAvailable, "every provider that could serve the request is at the limit that the policy sets for it; try again shortly").
		After(max(time.Second, time.Until(soonest)))
}
