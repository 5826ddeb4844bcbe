// Package readlimit limits how much of the ledger one account reads at a time, so
// that its searches and reports do not slow down other accounts. Limiter wraps a
// Ledger: slow reads of an account wait for a slot and fail with a retry time if
// they get none. ReadPageWithRetry reads large results page by page. web wraps
// the ledger once; the packages of the API read through it.
package readlimit

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/failure"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// slotsPerAccount is the number of slow reads that an account may run at the
	// same time. It is lower than the number of database connections for reads, so
	// that one account cannot occupy all of them.
	slotsPerAccount = 2
	// slotTimeout is how long a read waits for a slot. It leaves the read itself
	// half of its time.
	slotTimeout = Timeout / 2
	// retryAfter is when a read that got no slot may be repeated.
	retryAfter = 2 * time.Second
)

// Ledger reads the records of requests.
type Ledger interface {
	Pages
	Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error)
	Evidence(ctx context.Context, account string, id [16]byte) ([]evidence.Item, error)
	Comparisons(ctx context.Context, account string, request [16]byte) ([]evidence.Comparison, error)
	Quality(ctx context.Context, account string, from, to time.Time) ([]quality.Sums, error)
	Experiments(ctx context.Context, account string, from, to time.Time) ([]quality.Pair, error)
	Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	InstallationImpact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	Spend(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error)
	Volume(ctx context.Context, q record.Query, by record.GroupBy, m record.Measure) (record.Impact, error)
	Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error)
	Figures(ctx context.Context, q record.Query) (record.Figures, error)
	LatencyPercentile(ctx context.Context, q record.Query, percent int) (us, samples int64, err error)
	AccountSpend(ctx context.Context, account string, at time.Time) (record.AccountSpend, error)
	Failures(ctx context.Context, q record.Query, step time.Duration) (failure.Summary, error)
	Facets(ctx context.Context, q record.FacetQuery) (record.Facets, error)
	Sessions(ctx context.Context, q record.SessionQuery, after *record.SessionCursor, limit int) (record.SessionPage, error)
	Session(ctx context.Context, account, id string) (record.Session, error)
	SessionRequests(ctx context.Context, account, id string, after *record.Cursor, limit int) (record.Page, error)
}

// Limiter is a Ledger that limits the concurrent slow reads of each account. It
// is safe for concurrent use.
type Limiter struct {
	Ledger
	freeRows  int
	mu        sync.Mutex
	byAccount map[string]*accountSlots
}

// accountSlots holds the slots of one account. refs counts the reads that hold
// a slot or wait for one.
type accountSlots struct {
	slots chan struct{}
	refs  int
}

// New limits the reads of l. A page without a filter and with at most freeRows
// records needs no slot.
func New(l Ledger, freeRows int) *Limiter {
	return &Limiter{Ledger: l, freeRows: freeRows, byAccount: map[string]*accountSlots{}}
}

// acquireSlot waits for a slot. The returned function releases the slot.
func (l *Limiter) acquireSlot(ctx context.Context, account string) (release func(), err error) {
	accountSlots := l.slotsOf(account)
	timer := time.NewTimer(slotTimeout)
	defer timer.Stop()
	select {
	case accountSlots.slots <- struct{}{}:
		return func() {
			<-accountSlots.slots
			l.releaseRef(account, accountSlots)
		}, nil
	case <-ctx.Done():
	case <-timer.C:
	}
	l.releaseRef(account, accountSlots)
	return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many searches and reports of this account are running; try again in a moment").
		WithRetryAfter(retryAfter)
}

// withSlot calls read while it holds a slot of the query's account.
func withSlot[T any](ctx context.Context, l *Limiter, q record.Query, read func() (T, error)) (result T, err error) {
	release, err := l.acquireSlot(ctx, q.Account)
	if err != nil {
		return result, err
	}
	defer release()
	return read()
}

func (l *Limiter) slotsOf(account string) *accountSlots {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.byAccount[account]
	if s == nil {
		s = &accountSlots{slots: make(chan struct{}, slotsPerAccount)}
		l.byAccount[account] = s
	}
	s.refs++
	return s
}

func (l *Limiter) releaseRef(account string, s *accountSlots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.refs--; s.refs == 0 {
		delete(l.byAccount, account)
	}
}

// Page waits for a slot if the query has a filter or an order of its own, or the limit exceeds freeRows.
func (l *Limiter) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	if len(q.Terms) == 0 && q.Sort.IsNewestFirst() && limit <= l.freeRows {
		return l.Ledger.Page(ctx, q, after, limit)
	}
	return withSlot(ctx, l, q, func() (record.Page, error) { return l.Ledger.Page(ctx, q, after, limit) })
}

// Impact waits for a slot.
func (l *Limiter) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	return withSlot(ctx, l, q, func() (record.Impact, error) { return l.Ledger.Impact(ctx, q, by) })
}

// InstallationImpact waits for a slot of the account that asks.
func (l *Limiter) InstallationImpact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	return withSlot(ctx, l, q, func() (record.Impact, error) { return l.Ledger.InstallationImpact(ctx, q, by) })
}

// Spend waits for a slot.
func (l *Limiter) Spend(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	return withSlot(ctx, l, q, func() (record.Impact, error) { return l.Ledger.Spend(ctx, q, by) })
}

// Volume waits for a slot.
func (l *Limiter) Volume(ctx context.Context, q record.Query, by record.GroupBy, m record.Measure) (record.Impact, error) {
	return withSlot(ctx, l, q, func() (record.Impact, error) { return l.Ledger.Volume(ctx, q, by, m) })
}

// Series waits for a slot.
func (l *Limiter) Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error) {
	return withSlot(ctx, l, q, func() ([]record.Bucket, error) { return l.Ledger.Series(ctx, q, step) })
}

// Figures waits for a slot.
func (l *Limiter) Figures(ctx context.Context, q record.Query) (record.Figures, error) {
	return withSlot(ctx, l, q, func() (record.Figures, error) { return l.Ledger.Figures(ctx, q) })
}

// LatencyPercentile waits for a slot.
func (l *Limiter) LatencyPercentile(ctx context.Context, q record.Query, percent int) (us, samples int64, err error) {
	release, err := l.acquireSlot(ctx, q.Account)
	if err != nil {
		return 0, 0, err
	}
	defer release()
	return l.Ledger.LatencyPercentile(ctx, q, percent)
}

// Failures waits for a slot.
func (l *Limiter) Failures(ctx context.Context, q record.Query, step time.Duration) (failure.Summary, error) {
	return withSlot(ctx, l, q, func() (failure.Summary, error) { return l.Ledger.Failures(ctx, q, step) })
}

// Facets waits for a slot.
func (l *Limiter) Facets(ctx context.Context, q record.FacetQuery) (record.Facets, error) {
	return withSlot(ctx, l, q.Query, func() (record.Facets, error) { return l.Ledger.Facets(ctx, q) })
}

// Sessions waits for a slot.
func (l *Limiter) Sessions(ctx context.Context, q record.SessionQuery, after *record.SessionCursor, limit int) (record.SessionPage, error) {
	return withSlot(ctx, l, record.Query{Account: q.Account}, func() (record.SessionPage, error) { return l.Ledger.Sessions(ctx, q, after, limit) })
}

// Experiments waits for a slot.
func (l *Limiter) Experiments(ctx context.Context, account string, from, to time.Time) ([]quality.Pair, error) {
	return withSlot(ctx, l, record.Query{Account: account}, func() ([]quality.Pair, error) { return l.Ledger.Experiments(ctx, account, from, to) })
}

// Quality waits for a slot.
func (l *Limiter) Quality(ctx context.Context, account string, from, to time.Time) ([]quality.Sums, error) {
	return withSlot(ctx, l, record.Query{Account: account}, func() ([]quality.Sums, error) { return l.Ledger.Quality(ctx, account, from, to) })
}
