package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// picker chooses the candidate to call next. It returns the candidates in the order
// of the plan, each once, with these exceptions. Degraded candidates come after
// healthy ones. Candidates with an open breaker come last. Candidates at their
// provider's limit are called only if the limit has capacity again. If only one
// candidate could be called, it may be called a second time after a backoff. Apart from
// that, a candidate is called again at once if its adapter asks for it.
type picker struct {
	job *Job
	// deadline is shared by all attempts. It is a time, not a context, because
	// every attempt creates its own context.
	deadline time.Time
	// position is the index of the next candidate in the plan.
	position int
	deferred []deferred
	calls    int
	last     decide.Candidate
	// repetitions counts the calls that repeatLast returned.
	repetitions int
	// repeat is how the next call to last must differ from a first call. reconnected means
	// that last was already called again after a stale connection.
	repeat      provider.Repeat
	reconnected bool
	// minContext is set after a context-length failure. Further candidates must
	// have a larger context window than this.
	minContext int64
	// budgetSpent is set when the retry budget prevented a call.
	budgetSpent bool
	// spent is what the attempts have cost so far, in nano-USD. costReached is set when the
	// maximum cost of the request prevented a call. Both are used only with a maximum cost.
	spent       int64
	costReached bool
}

// deferred is a candidate that was not called when it was its turn. Its breaker was
// open, it was degraded, its provider was at its limit, or the retry budget was spent.
type deferred struct {
	candidate decide.Candidate
	// position is the index of the candidate in the plan.
	position int
	// retryAt is when the breaker or the limit may admit a call, if known.
	retryAt  time.Time
	degraded bool
	atLimit  bool
	// budgetSpent means that only the retry budget prevented the call. The candidate
	// may be called later.
	budgetSpent bool
	// recorded means that the record contains an attempt for the deferred candidate.
	recorded bool
}

// code returns the attempt code for the record.
func (a *deferred) code() string {
	if a.atLimit {
		return ledger.OverLimit
	}
	return ledger.BreakerOpen
}

// step is one candidate to call, with the candidates that were deferred before it.
type step struct {
	candidate decide.Candidate
	call      breaker.Call
	quota     *limits.Admission
	deferred  []deferred
	repeat    provider.Repeat
}

// firstStep returns the first call of a request. It returns false only if every
// provider is at its limit or failed a moment ago.
func (pk *picker) firstStep(client context.Context) (step, bool) {
	if s, ok := pk.nextInPlan(client); ok {
		return s, true
	}
	return pk.forceDeferred(client)
}

// stepAfter returns the next call after a failure, if there is one. repeat is not nil if the
// adapter asks for another call to the same candidate.
func (pk *picker) stepAfter(client context.Context, err *apperr.Error, repeat *provider.RepeatError) (step, bool) {
	retries, f := pk.job.Policy.Defaults.Retries, classifyFailure(err)
	if pk.calls > retries.Max || pk.isOver(client) {
		return step{}, false
	}
	if s, ok := pk.repeatLast(client, f, repeat); ok {
		return s, true
	}
	if !retries.AllowsAfter(f) {
		return step{}, false
	}
	if f == policy.FailContextLength {
		pk.minContext = max(pk.minContext, pk.contextWindow(pk.last))
	}
	if s, ok := pk.nextInPlan(client); ok {
		return s, true
	}
	if s, ok := pk.nextDegraded(client); ok {
		return s, true
	}
	if s, ok := pk.retryLast(client, f, err); ok {
		return s, true
	}
	return pk.forceDeferred(client)
}

func (pk *picker) isOver(client context.Context) bool {
	return client.Err() != nil || !time.Now().Before(pk.deadline)
}

// nextInPlan returns the next candidate of the plan that may be called now.
func (pk *picker) nextInPlan(client context.Context) (step, bool) {
	for pk.position < len(pk.job.Plan) {
		t := pk.job.Plan[pk.position]
		pk.position++
		if !pk.fitsContext(t) || !pk.fitsCost(t) {
			continue
		}
		a := deferred{candidate: t, position: pk.position - 1}
		if call, ok := pk.admitInTurn(&a); ok {
			if s, ok := pk.reserveStep(client, &a, call); ok {
				return s, true
			}
		}
		pk.deferred = append(pk.deferred, a)
	}
	return step{}, false
}

// reserveStep turns a call that the breaker admitted into a step, if the provider's
// limits allow it. If not, it sets a.atLimit.
func (pk *picker) reserveStep(client context.Context, a *deferred, call breaker.Call) (step, bool) {
	pass, until, ok := pk.reserveQuota(client, a.candidate)
	if a.atLimit = !ok; a.atLimit {
		call.End(breaker.Inconclusive, 0)
		a.retryAt = until
		return step{}, false
	}
	s := pk.newStep(a.candidate, a.position, call)
	s.quota = pass
	return s, true
}

// admitInTurn checks the breaker of the candidate whose turn it is.
func (pk *picker) admitInTurn(a *deferred) (breaker.Call, bool) {
	call, admission, until := pk.job.Breakers.Admit(a.candidate, pk.callKind())
	switch admission {
	case breaker.Admitted:
		return call, true
	case breaker.Unavailable:
		a.retryAt = until
	case breaker.RetryBudgetSpent:
		pk.budgetSpent, a.budgetSpent = true, true
	case breaker.Degraded:
		if !slices.ContainsFunc(pk.job.Plan[pk.position:], pk.job.Breakers.IsHealthy) {
			call, _ = pk.job.Breakers.Force(a.candidate, pk.callKind())
			return call, true
		}
		a.degraded = true
	}
	return breaker.Call{}, false
}

// nextDegraded returns a degraded candidate, for use after the healthy ones failed.
func (pk *picker) nextDegraded(client context.Context) (step, bool) {
	return pk.nextDeferred(client, func(a *deferred) bool { return a.degraded }, func(a *deferred) (breaker.Call, bool) {
		call, admission, _ := pk.job.Breakers.Admit(a.candidate, pk.callKind())
		return call, admission == breaker.Admitted
	})
}

// nextDeferred returns the first deferred candidate that isSelected accepts and that
// may be called.
func (pk *picker) nextDeferred(client context.Context, isSelected func(*deferred) bool, admit func(*deferred) (breaker.Call, bool)) (step, bool) {
	for i, a := range pk.deferred {
		if !isSelected(&a) || !pk.fitsContext(a.candidate) || !pk.fitsCost(a.candidate) {
			continue
		}
		call, ok := admit(&a)
		if !ok {
			continue
		}
		if s, ok := pk.reserveStep(client, &a, call); ok {
			pk.deferred = slices.Delete(pk.deferred, i, i+1)
			return s, true
		}
	}
	return step{}, false
}

func (pk *picker) callKind() breaker.Kind {
	return breaker.Kind{Stream: pk.job.Request.Stream, Retry: pk.calls > 0}
}

// forceDeferred returns a deferred candidate even if its breaker is open. It starts
// with the candidate that may be called soonest. A call that may fail is better than
// an error without a call, unless many calls in a row failed, the last one a moment ago.
func (pk *picker) forceDeferred(client context.Context) (step, bool) {
	slices.SortStableFunc(pk.deferred, func(a, b deferred) int { return a.retryAt.Compare(b.retryAt) })
	return pk.nextDeferred(client, func(*deferred) bool { return true }, func(a *deferred) (breaker.Call, bool) {
		call, admission, _ := pk.job.Breakers.ForceSparingly(a.candidate, pk.callKind())
		pk.budgetSpent = pk.budgetSpent || admission == breaker.RetryBudgetSpent
		return call, admission == breaker.Admitted
	})
}

func (pk *picker) newStep(t decide.Candidate, at int, call breaker.Call) step {
	if t != pk.last {
		pk.repeat, pk.reconnected = provider.Repeat{}, false
	}
	s := step{candidate: t, call: call, repeat: pk.repeat}
	for i := range pk.deferred {
		if a := &pk.deferred[i]; a.position < at && !a.recorded && !a.budgetSpent {
			a.recorded = true
			s.deferred = append(s.deferred, *a)
		}
	}
	pk.calls++
	pk.last = t
	return s
}

// hasAlternative reports whether another candidate could be called if the current call
// times out.
func (pk *picker) hasAlternative() bool {
	retries := pk.job.Policy.Defaults.Retries
	return pk.calls <= retries.Max && retries.AllowsAfter(policy.FailTimeout) &&
		slices.ContainsFunc(pk.job.Plan[pk.position:], pk.job.Breakers.IsAvailable)
}

// fitsContext reports whether a candidate has a larger context window than the
// candidates whose window was too small. An unknown window counts as large enough.
func (pk *picker) fitsContext(t decide.Candidate) bool {
	if pk.minContext == 0 {
		return true
	}
	window := pk.contextWindow(t)
	return window == 0 || window > pk.minContext
}

func (pk *picker) contextWindow(t decide.Candidate) int64 {
	m, ok := pk.job.Policy.Model(t.Model)
	if !ok {
		return 0
	}
	e, ok := m.EndpointAt(t.Provider)
	if !ok {
		return 0
	}
	return m.EndpointContext(e)
}
