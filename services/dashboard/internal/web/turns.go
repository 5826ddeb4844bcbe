package web

import (
	"context"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// accountReads is how many slow reads of an account run at a time: fewer
	// than the ledger has readers, so that one account never has all of them.
	accountReads = 2
	// readsPatience is how long another one waits for its turn.
	readsPatience = 2 * time.Second
)

// turns is a ledger that each account reads in turns, where that may be slow.
type turns struct {
	Ledger
	mu sync.Mutex
	of map[string]*places
}

// places are those of one account, and how many hold or want one.
type places struct {
	taken chan struct{}
	users int
}

func inTurns(l Ledger) *turns { return &turns{Ledger: l, of: map[string]*places{}} }

// enter waits for a place, which leave gives back.
func (t *turns) enter(ctx context.Context, account string) (leave func(), err error) {
	p := t.join(account)
	timer := time.NewTimer(readsPatience)
	defer timer.Stop()
	select {
	case p.taken <- struct{}{}:
		return func() {
			<-p.taken
			t.quit(account, p)
		}, nil
	case <-ctx.Done():
	case <-timer.C:
	}
	t.quit(account, p)
	return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many searches and reports of this account run at the same time").
		After(readsPatience)
}

func (t *turns) join(account string) *places {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.of[account]
	if p == nil {
		p = &places{taken: make(chan struct{}, accountReads)}
		t.of[account] = p
	}
	p.users++
	return p
}

func (t *turns) quit(account string, p *places) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(t.of, account)
	}
}

// Page waits for its turn if it has to search, or to read much.
func (t *turns) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	if len(q.Terms) == 0 && limit <= maxLimit {
		return t.Ledger.Page(ctx, q, after, limit)
	}
	leave, err := t.enter(ctx, q.Account)
	if err != nil {
		return record.Page{}, err
	}
	defer leave()
	return t.Ledger.Page(ctx, q, after, limit)
}

// Impact waits for its turn.
func (t *turns) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	leave, err := t.enter(ctx, q.Account)
	if err != nil {
		return record.Impact{}, err
	}
	defer leave()
	return t.Ledger.Impact(ctx, q, by)
}

// Series waits for its turn.
func (t *turns) Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error) {
	leave, err := t.enter(ctx, q.Account)
	if err != nil {
		return nil, err
	}
	defer leave()
	return t.Ledger.Series(ctx, q, step)
}

// Figures waits for its turn.
func (t *turns) Figures(ctx context.Context, q record.Query) (record.Figures, error) {
	leave, err := t.enter(ctx, q.Account)
	if err != nil {
		return record.Figures{}, err
	}
	defer leave()
	return t.Ledger.Figures(ctx, q)
}
