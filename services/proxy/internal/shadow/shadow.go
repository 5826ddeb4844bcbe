// Package shadow runs the experiments of a policy. After a client was served, a sampled
// request also goes to another candidate, and a judge compares both responses. The client
// notices nothing of it and pays nothing for it.
//
//	handler ──Offer──▶ queue (bounded) ──▶ worker: reserve money
//	                                              call the candidate
//	                                              call the judge, twice, with the order swapped
//	                                              write the result, settle the money
//
// What it promises:
//   - Only requests with the capture "full" of accounts that allow experiments are sampled.
//     The candidate and the judge pass the hard filters of the request (decide.CheckCandidate).
//   - An account that no longer allows it loses its waiting samples within a second, and its
//     running comparisons make no further call: see permission.go. The same holds if the policy
//     changes, so a paused experiment stops, and if the candidate or the judge is drained.
//   - A request that could run a tool of the provider again is not repeated: see request.go.
//   - Text is only in memory, at most maxQueuedBytes of it. The result contains none.
//   - An experiment never exceeds its daily limit: see budget.go.
//   - Clients come first. A sample is dropped if the gateway is busy or the queue is full, and
//     the queue is cleared under overload. There are few workers, their pace is limited, and
//     a running comparison pauses before its next call while clients need the gateway.
//   - A shutdown drops the queue and cancels running calls.
//
// Package api offers samples. Package dispatch makes the calls, as for clients, but without
// retries and without effect on the breakers.
package shadow

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const (
	// maxQueued and maxQueuedBytes limit the samples that wait or run.
	maxQueued      = 64
	maxQueuedBytes = 8 << 20
	// maxPerSecond limits how many comparisons one proxy starts. Calls are cheap for the
	// gateway only as long as they are few. With real models, whose calls take seconds, the
	// number of workers is the tighter limit.
	maxPerSecond = 5
	// comparisonTimeout limits all calls of one comparison together.
	comparisonTimeout = 5 * time.Minute
)

// Deps holds the parts that the pool uses. All fields are required, except Breakers,
// IsDrained, IsInUse and IsServing.
type Deps struct {
	// Budgets holds the daily limits of the experiments, and the limits of providers.
	Budgets *limits.Limiter
	// Breakers say which candidates are up. Shadow calls do not change them.
	Breakers *breaker.Set
	// IsDrained reports whether an operator has drained a candidate; nil means never.
	IsDrained func(decide.Candidate) bool
	// IsInUse reports whether a policy is in use; nil means always.
	IsInUse func(*policy.Policy) bool
	// Providers returns the adapters of a policy.
	Providers func(p *policy.Policy) dispatch.Providers
	Ledger    interface {
		StartComparison(c *ledger.Comparison) error
		FinishComparison(c *ledger.Comparison) error
	}
	// IsBusy reports whether clients need the whole gateway.
	IsBusy func() bool
	// IsServing reports whether requests of clients are in progress. It may be nil.
	IsServing func() bool
	// MayUse reports whether requests of a key may be used now. It never relies on a state that
	// may be outdated.
	MayUse func(ctx context.Context, keyID string) bool
	// Workers is the number of concurrent comparisons. 0 disables experiments.
	Workers int
	Log     *slog.Logger
}

// Pool runs comparisons. It is safe for concurrent use.
type Pool struct {
	Deps
	queue   chan *comparison
	bytes   atomic.Int64
	pace    *rate.Limiter
	stopped atomic.Bool
	counts  counts
	// computing lets one worker at a time read and build texts, so that experiments never
	// occupy more than one CPU.
	computing sync.Mutex
}

// New returns a pool. It does nothing until Run.
func New(d Deps) *Pool {
	return &Pool{Deps: d, queue: make(chan *comparison, maxQueued), pace: rate.NewLimiter(maxPerSecond, 1)}
}

// Run runs comparisons until ctx ends. Then it drops the queue, cancels the running calls
// and returns when their results are written.
func (p *Pool) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range p.Workers {
		workers.Go(func() { p.work(ctx) })
	}
	workers.Go(func() { p.watchPermissions(ctx) })
	<-ctx.Done()
	p.stopped.Store(true)
	workers.Wait()
	p.DropWaiting()
}

func (p *Pool) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-p.queue:
			p.runOne(ctx, c)
			p.bytes.Add(-c.size())
		}
	}
}

// runOne runs a comparison, unless clients need the gateway: then it drops all samples that
// wait. A panic ends the comparison, not the process.
func (p *Pool) runOne(ctx context.Context, c *comparison) {
	defer func() {
		if v := recover(); v != nil {
			p.counts.add(Panicked)
			p.Log.Error("panic in a comparison", "experiment", c.record.Experiment, "panic", v)
			if c.isStarted {
				c.record.Result, c.record.Estimated = ledger.ComparisonAborted, true
				p.finish(c)
			}
		}
	}()
	if p.IsBusy() {
		p.counts.add(Busy)
		p.clearQueue(Busy)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, comparisonTimeout)
	defer cancel()
	p.compare(ctx, c)
}

func (p *Pool) clearQueue(why Drop) {
	for {
		select {
		case c := <-p.queue:
			p.counts.add(why)
			p.bytes.Add(-c.size())
		default:
			return
		}
	}
}

// enqueue adds a comparison to the queue, or drops it.
func (p *Pool) enqueue(c *comparison) {
	if p.bytes.Add(c.size()) > maxQueuedBytes {
		p.bytes.Add(-c.size())
		p.counts.add(QueueFull)
		return
	}
	select {
	case p.queue <- c:
	default:
		p.bytes.Add(-c.size())
		p.counts.add(QueueFull)
	}
}

// DropWaiting drops the waiting samples, and reports whether no comparison runs either.
func (p *Pool) DropWaiting() (isIdle bool) {
	p.clearQueue(Stopping)
	return p.bytes.Load() == 0
}
