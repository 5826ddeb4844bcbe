package account

import "context"

// spentAtOnce bounds what one look at what was spent returns.
const spentAtOnce = 1000

// Mark is how far a watcher has followed what is spent; the zero value has seen
// nothing.
type Mark struct {
	version int64
	day     Period
}

// Spent lists what keys and accounts with a budget have spent of it, where that
// has changed since a mark, not necessarily all at once, and returns the mark to
// go on from. Nothing is left when the list is empty. A new day starts with all
// of them, so that clocks that differ leave nothing out.
func (s *Service) Spent(ctx context.Context, since Mark) ([]Spent, Mark, error) {
	if today := dayOf(now()); since.day != today {
		since = Mark{day: today}
	}
	head, err := s.store.SpendHead(ctx)
	if err != nil || head <= since.version {
		return nil, since, storeError(err)
	}
	list, err := s.store.Spent(ctx, since.version, since.day, spentAtOnce)
	if err != nil {
		return nil, since, storeError(err)
	}
	// Most of what is spent is of no budget: it is passed over for good.
	if len(list) < spentAtOnce {
		since.version = head
	}
	if n := len(list); n > 0 {
		since.version = max(since.version, list[n-1].Version)
	}
	return list, since, nil
}
