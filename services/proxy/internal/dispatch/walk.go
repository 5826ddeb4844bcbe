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
)

// walk chooses what is called next. Targets come in the order of the plan, each
// once; those that are strained come after sound ones, those that are out of use
// last, and those at their provider's limit only when that has room; and where
// there is but one, it is called again after a while.
type walk struct {
	job Job
	// deadline is that of all attempts. It is a time and no context: the one
	// that each attempt makes for itself is enough.
	deadline time.Time
	// at is how far the plan has been walked.
	at    int
	aside []aside
	calls int
	last  decide.Target
	// window is what a target must hold more than, once one was too small.
	window int64
	// over is set when a budget of retries kept a target from being called.
	over bool
}

// aside is a target that was out of use when its turn came, spared, or at its
// provider's limit.
type aside struct {
	target decide.Target
	// at is its place in the plan.
	at      int
	until   time.Time
	spared  bool
	limited bool
	// over is set when there was no retry left for it: it may be asked later.
	over  bool
	noted bool
}

// code is what the record says of it.
func (a *aside) code() string {
	if a.limited {
		return ledger.OverLimit
	}
	return ledger.BreakerOpen
}

// step is one target to call, with those that it is called instead of.
type step struct {
	target  decide.Target
	call    breaker.Call
	pass    *limits.Pass
	skipped []aside
}

// first is where a request begins. There is one unless every provider is at its
// limit.
func (w *walk) first(client context.Context) (step, bool) {
	if s, ok := w.next(client); ok {
		return s, true
	}
	return w.insist(client)
}

// after is where a request goes on after a failure, if anywhere.
func (w *walk) after(client context.Context, err *apperr.Error) (step, bool) {
	retries, f := w.job.Policy.Defaults.Retries, failureOf(err)
	if w.calls > retries.Max || !retries.After(f) || w.timeIsUp(client) {
		return step{}, false
	}
	if f == policy.FailContext {
		w.window = max(w.window, w.holds(w.last))
	}
	if s, ok := w.next(client); ok {
		return s, true
	}
	if s, ok := w.spared(client); ok {
		return s, true
	}
	if s, ok := w.again(client, f, err); ok {
		return s, true
	}
	return w.insist(client)
}

func (w *walk) timeIsUp(client context.Context) bool {
	return client.Err() != nil || !time.Now().Before(w.deadline)
}

// next is the first target of the rest of the plan that is in use.
func (w *walk) next(client context.Context) (step, bool) {
	for w.at < len(w.job.Plan) {
		t := w.job.Plan[w.at]
		w.at++
		if !w.fits(t) {
			continue
		}
		a := aside{target: t, at: w.at - 1}
		if call, ok := w.inTurn(&a); ok {
			if s, ok := w.enter(client, &a, call); ok {
				return s, true
			}
		}
		w.aside = append(w.aside, a)
	}
	return step{}, false
}

// enter calls a target that its breaker admits if its provider's limits let it,
// and says in a why they do not.
func (w *walk) enter(client context.Context, a *aside, call breaker.Call) (step, bool) {
	pass, until, ok := w.quota(client, a.target)
	if a.limited = !ok; a.limited {
		call.End(breaker.Nothing, 0)
		a.until = until
		return step{}, false
	}
	s := w.step(a.target, a.at, call)
	s.pass = pass
	return s, true
}

// inTurn asks the breaker of a target whose turn it is.
func (w *walk) inTurn(a *aside) (breaker.Call, bool) {
	call, answer, until := w.job.Breakers.Ask(a.target, w.kind())
	switch answer {
	case breaker.Admitted:
		return call, true
	case breaker.OutOfUse:
		a.until = until
	case breaker.OverBudget:
		w.over, a.over = true, true
	case breaker.Strained:
		if !slices.ContainsFunc(w.job.Plan[w.at:], w.job.Breakers.Sound) {
			call, _ = w.job.Breakers.Insist(a.target, w.kind())
			return call, true
		}
		a.spared = true
	}
	return breaker.Call{}, false
}

// spared is a target that was spared for sound ones, which have failed too.
func (w *walk) spared(client context.Context) (step, bool) {
	return w.fromAside(client, func(a *aside) bool { return a.spared }, func(a *aside) (breaker.Call, bool) {
		call, answer, _ := w.job.Breakers.Ask(a.target, w.kind())
		return call, answer == breaker.Admitted
	})
}

// fromAside calls the first of those that were passed over which may be.
func (w *walk) fromAside(client context.Context, which func(*aside) bool, admit func(*aside) (breaker.Call, bool)) (step, bool) {
	for i, a := range w.aside {
		if !which(&a) || !w.fits(a.target) {
			continue
		}
		call, ok := admit(&a)
		if !ok {
			continue
		}
		if s, ok := w.enter(client, &a, call); ok {
			w.aside = slices.Delete(w.aside, i, i+1)
			return s, true
		}
	}
	return step{}, false
}

func (w *walk) kind() breaker.Kind {
	return breaker.Kind{Stream: w.job.Request.Stream, Retry: w.calls > 0}
}

// insist calls a target that is out of use, the one that is next to come back:
// rather that than an error without having asked.
func (w *walk) insist(client context.Context) (step, bool) {
	slices.SortStableFunc(w.aside, func(a, b aside) int { return a.until.Compare(b.until) })
	return w.fromAside(client, func(*aside) bool { return true }, func(a *aside) (breaker.Call, bool) {
		call, answer := w.job.Breakers.Insist(a.target, w.kind())
		w.over = w.over || answer != breaker.Admitted
		return call, answer == breaker.Admitted
	})
}

func (w *walk) step(t decide.Target, at int, call breaker.Call) step {
	s := step{target: t, call: call}
	for i := range w.aside {
		if a := &w.aside[i]; a.at < at && !a.noted && !a.over {
			a.noted = true
			s.skipped = append(s.skipped, *a)
		}
	}
	w.calls++
	w.last = t
	return s
}

// spare tells whether another target could be called after this one.
func (w *walk) spare() bool {
	retries := w.job.Policy.Defaults.Retries
	return w.calls <= retries.Max && retries.After(policy.FailTimeout) &&
		slices.ContainsFunc(w.job.Plan[w.at:], w.job.Breakers.Usable)
}

// fits tells whether a target holds more than one that was too small; what is
// not known may.
func (w *walk) fits(t decide.Target) bool {
	if w.window == 0 {
		return true
	}
	holds := w.holds(t)
	return holds == 0 || holds > w.window
}

func (w *walk) holds(t decide.Target) int64 {
	m, ok := w.job.Policy.Model(t.Model)
	if !ok {
		return 0
	}
	e, ok := m.At(t.Provider)
	if !ok {
		return 0
	}
	return m.ContextAt(e)
}
