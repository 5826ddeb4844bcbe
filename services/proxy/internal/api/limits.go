package api

import (
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/saturate"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// enterLimits checks the limits of the account and the key, and counts the request against
// them. It returns an error if a limit is reached.
func (e *edge) enterLimits(x *exchange) (err error) {
	p := x.principal
	caller := limits.Caller{AccountID: p.AccountID, KeyID: p.KeyID, Account: p.AccountLimits, Key: p.Limits, HasGroups: len(p.Budgets) > 0}
	x.admission, err = e.Limiter.Admit(x.r.Context(), &caller)
	return x.orCancelled(err)
}

// enterBudgets adds the group budgets that apply to the request. user is the end user as the
// client or the key names it.
func (e *edge) enterBudgets(x *exchange, user string) {
	p := x.principal
	if len(p.Budgets) == 0 {
		return
	}
	who := limits.Identity{KeyID: p.KeyID, User: user, Agent: x.record.Agent}
	if user != "" {
		who.UserHash = session.Hash(p.AccountID, user)
	}
	x.record.Budgets = x.admission.AddGroups(limits.MatchBudgets(p.Budgets, &who))
}

// orCancelled replaces err by ClientCancelled if the client disconnected in the meantime.
func (x *exchange) orCancelled(err error) error {
	if err != nil && x.r.Context().Err() != nil {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").WithCause(err)
	}
	return err
}

func (e *edge) reportRejection(err error) {
	a := apperr.From(err)
	if name, ok := rejectingLimit(a); ok {
		e.LimitRejected(a.Code, name)
	}
}

// rejectingLimit returns the name of the limit in an error's details, and whether the
// details contain a limit.
func rejectingLimit(err *apperr.Error) (string, bool) {
	limit, ok := err.Details["limit"].(map[string]any)
	name, _ := limit["name"].(string)
	return name, ok
}

// estimateUse estimates the tokens and the cost of a request at the first candidate of the
// plan. If the price is unknown, the estimated cost is 0.
func estimateUse(plan control.Plan, req *requestbody.Request, input int64, at time.Time) (tokens, nanoUSD int64) {
	first := plan.Plan[0]
	u := catalog.Usage{Input: input}
	if req.Kind == catalog.Chat {
		u.Output = maxOutput(plan.Policy, first, req)
	}
	if price, ok := (prices{plan.Policy}).Price(first, at); ok {
		nanoUSD = catalog.Cost(price, u)
	}
	return u.Total(), nanoUSD
}

// maxOutput estimates how many output tokens a response may have. It is the client's limit,
// or PredictedOutputTokens if the client sets none, but at most the endpoint's maximum.
// If the client requests several choices, each of them counts.
func maxOutput(p *policy.Policy, t decide.Candidate, req *requestbody.Request) int64 {
	n := req.MaxOutputTokens
	if n <= 0 {
		n = decide.PredictedOutputTokens
	}
	if m, ok := p.Model(t.Model); ok {
		if e, ok := m.EndpointAt(t.Provider); ok && m.EndpointMaxOutput(e) > 0 {
			n = min(n, m.EndpointMaxOutput(e))
		}
	}
	return saturate.MulDiv(n, max(1, int64(req.Choices)), 1)
}

// totalUse sums the known tokens and costs of all attempts.
func totalUse(r *ledger.Record) (tokens, nanoUSD int64) {
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Usage != nil {
			tokens = saturate.Sum(tokens, a.Usage.Total())
		}
		if a.Cost.Known {
			nanoUSD = saturate.Sum(nanoUSD, a.Cost.Nano)
		}
	}
	return tokens, nanoUSD
}

// setLimitHeaders sets the headers that describe the limits of requests and tokens per minute.
func (x *exchange) setLimitHeaders() {
	h := x.w.Header()
	for i, m := range tightestStatuses(x.admission.Statuses()) {
		if m.Limit == 0 {
			continue
		}
		name := [...]string{"Requests", "Tokens"}[i]
		h.Set("X-Ratelimit-Limit-"+name, strconv.FormatInt(m.Limit, 10))
		h.Set("X-Ratelimit-Remaining-"+name, strconv.FormatInt(max(0, m.Remaining), 10))
		h.Set("X-Ratelimit-Reset-"+name, m.Reset.Round(time.Millisecond).String())
	}
}

// tightestStatuses returns the statuses of two limits: requests per minute and tokens per
// minute. If both the key and the account have such a limit, it returns the status with less
// remaining. A Limit of 0 means no limit.
func tightestStatuses(all []limits.Status) (found [2]limits.Status) {
	for _, m := range all {
		i := 0
		switch m.Name {
		case limits.RequestsPerMinute:
		case limits.TokensPerMinute:
			i = 1
		default:
			continue
		}
		if found[i].Limit == 0 || m.Remaining < found[i].Remaining {
			found[i] = m
		}
	}
	return found
}
