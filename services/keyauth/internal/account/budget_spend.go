package account

import "context"

// maxSpendPage bounds how many entries BudgetSpendSince returns.
const maxSpendPage = 1000

// SpendCursor is how far a watcher has read the changes of spend. The zero value
// starts at the beginning.
type SpendCursor struct {
	version int64
	day     Period
}

// BudgetSpendSince lists the spend of keys and accounts with a budget that changed
// after the cursor, and returns the next cursor. It returns a page at a time; an
// empty list means that nothing is left. On a new day it starts over with all
// entries, so that clock differences between instances cannot hide an entry.
func (s *Service) BudgetSpendSince(ctx context.Context, since SpendCursor) ([]BudgetSpend, SpendCursor, error) {
	if today := dayOf(now()); since.day != today {
		since = SpendCursor{day: today}
	}
	head, err := s.store.SpendHead(ctx)
	if err != nil || head <= since.version {
		return nil, since, wrapStoreError(err)
	}
	list, err := s.store.BudgetSpend(ctx, since.version, since.day, maxSpendPage)
	if err != nil {
		return nil, since, wrapStoreError(err)
	}
	// Most spend has no budget, so skip to the head after the last page.
	if len(list) < maxSpendPage {
		since.version = head
	}
	if n := len(list); n > 0 {
		since.version = max(since.version, list[n-1].Version)
	}
	return list, since, nil
}
