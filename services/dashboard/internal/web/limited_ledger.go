package web

import (
	"context"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// slotsPerAccount is the number of slow reads that an account may run at the same
	// time. It is lower than the number of read connections, so that one account
	// cannot occupy them all.
	slotsPerAccount = 2
	// slotTimeout is how long a read waits for a slot.
	slotTimeout = 2 * time.Second
)

// limitedLedger limits the concurrent slow reads of each account.
type limitedLedger struct {
	Ledger
	mu        sync.Mutex
	byAccount map[string]*accountSlots
}

// accountSlots holds the slots of one account and the number of holders and
// waiters.
type accountSlots struct {
	taken chan struct{}
	users int
}

func limitReads(l Ledger) *limitedLedger {
	return &limitedLedger{Ledger: l, byAccount: map[string]*accountSlots{}}
}

// acquireSlot waits for a slot. The returned function releases it.
func (t *limitedLedger) acquireSlot(ctx context.Context, account string) (release func(), err error) {
	p := t.slotsOf(account)
	timer := time.NewTimer(slotTimeout)
	defer timer.Stop()
	select {
	case p.taken <- struct{}{}:
		return func() {
			<-p.taken
			t.forgetUser(account, p)
		}, nil
	case <-ctx.Done():
	case <-timer.C:
	}
	t.forgetUser(account, p)
	return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many searches and reports of this account are running; try again in a moment").
		WithRetryAfter(slotTimeout)
}

func (t *limitedLedger) slotsOf(account string) *accountSlots {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byAccount[account]
	if p == nil {
		p = &accountSlots{taken: make(chan struct{}, slotsPerAccount)}
		t.byAccount[account] = p
	}
	p.users++
	return p
}

func (t *limitedLedger) forgetUser(account string, p *accountSlots) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(t.byAccount, account)
	}
}

// Page waits for a slot if it has a filter or reads many records.
func (t *limitedLedger) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	if len(q.Terms) == 0 && limit <= maxLimit {
		return t.Ledger.Page(ctx, q, after, limit)
	}
	release, err := t.acquireSlot(ctx, q.Account)
	if err != nil {
		return record.Page{}, err
	}
	defer release()
	return t.Ledger.Page(ctx, q, after, limit)
}

// Impact waits for a slot.
func (t *limitedLedger) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	release, err := t.acquireSlot(ctx, q.Account)
	if err != nil {
		return record.Impact{}, err
	}
	defer release()
	return t.Ledger.Impact(ctx, q, by)
}

// Series waits for a slot.
func (t *limitedLedger) Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error) {
	release, err := t.acquireSlot(ctx, q.Account)
	if err != nil {
		return nil, err
	}
	defer release()
	return t.Ledger.Series(ctx, q, step)
}

// Figures waits for a slot.
func (t *limitedLedger) Figures(ctx context.Context, q record.Query) (record.Figures, error) {
	release, err := t.acquireSlot(ctx, q.Account)
	if err != nil {
		return record.Figures{}, err
	}
	defer release()
	return t.Ledger.Figures(ctx, q)
}
