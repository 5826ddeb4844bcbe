package api

import (
	"math"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// pass has the caller's limits let the request through.
func (e *edge) pass(x *exchange) (err error) {
	p := x.principal
	caller := limits.Caller{AccountID: p.AccountID, KeyID: p.KeyID, Account: p.AccountLimits, Key: p.Limits}
	x.pass, err = e.Keeper.Enter(x.r.Context(), &caller)
	return x.orGone(err)
}

// orGone is an error, or that the client left while it was waited for.
func (x *exchange) orGone(err error) error {
	if err != nil && x.r.Context().Err() != nil {
		return apperr.New(apperr.ClientCancelled, "the client closed the connection").Because(err)
	}
	return err
}

// refusedBy tells which limit has refused a request, if one has.
func (e *edge) refusedBy(err error) {
	a := apperr.From(err)
	if name, ok := refusing(a); ok {
		e.Refused(a.Code, name)
	}
}

// refusing is the name of the limit that an error is about, if it is about one.
func refusing(err *apperr.Error) (string, bool) {
	limit, ok := err.Details["limit"].(map[string]any)
	name, _ := limit["name"].(string)
	return name, ok
}

// expected is what a request will probably use, at the target that is called
// first. What has no price costs nothing here: nobody knows better.
func expected(plan control.Plan, req *openai.Request, input int64, at time.Time) (tokens, nanoUSD int64) {
	first := plan.Plan[0]
	u := catalog.Usage{Input: input}
	if req.Kind == catalog.Chat {
		u.Output = longest(plan.Policy, first, req)
	}
	if price, ok := (prices{plan.Policy}).Price(first, at); ok {
		nanoUSD = catalog.Cost(price, u)
	}
	return u.Total(), nanoUSD
}

// longest is how long the answer may be: what the client allows, as far as the
// target can, or what a decision takes answers to be.
func longest(p *policy.Policy, t decide.Target, req *openai.Request) int64 {
	n := req.MaxOutputTokens
	if n <= 0 {
		n = decide.PredictedOutput
	}
	if m, ok := p.Model(t.Model); ok {
		if e, ok := m.At(t.Provider); ok && m.MaxOutputAt(e) > 0 {
			n = min(n, m.MaxOutputAt(e))
		}
	}
	return times(n, int64(req.Choices))
}

func times(n, by int64) int64 {
	if by > 1 && n > math.MaxInt64/by {
		return math.MaxInt64
	}
	return n * max(1, by)
}

// used is what a request has used in all its attempts, where that is known.
func used(r *ledger.Record) (tokens, nanoUSD int64) {
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if a.Usage != nil {
			tokens = plus(tokens, a.Usage.Total())
		}
		if a.Cost.Known {
			nanoUSD = plus(nanoUSD, a.Cost.Nano)
		}
	}
	return tokens, nanoUSD
}

// plus saturates: upstreams report what they like.
func plus(a, b int64) int64 {
	a, b = max(0, a), max(0, b)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// tellLimits puts into the headers what is left of the limits that are counted
// by the minute.
func (x *exchange) tellLimits() {
	h := x.w.Header()
	for i, m := range tightest(x.pass.Meters()) {
		if m.Limit == 0 {
			continue
		}
		name := [...]string{"Requests", "Tokens"}[i]
		h.Set("X-Ratelimit-Limit-"+name, strconv.FormatInt(m.Limit, 10))
		h.Set("X-Ratelimit-Remaining-"+name, strconv.FormatInt(max(0, m.Remaining), 10))
		h.Set("X-Ratelimit-Reset-"+name, m.Reset.Round(time.Millisecond).String())
	}
}

// tightest are the meters of requests and tokens of which least is left, of the
// key's and the account's; their limits are 0 where there is none.
func tightest(all []limits.Meter) (found [2]limits.Meter) {
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
