package livefeed

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxOpenFilters limits the filters of all streams together, because every poll
	// of a stream runs one query per filter.
	maxOpenFilters = 500
	// maxAccountFilters limits the filters of one account, so that the account
	// cannot use up maxOpenFilters.
	maxAccountFilters = 40
)

// streamLimiter limits the filters of all open streams.
type streamLimiter struct {
	mu        sync.Mutex
	total     int
	byAccount map[string]int
}

// acquire reserves a slot per filter. The returned function releases the slots.
func (s *streamLimiter) acquire(account string, filters int) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total+filters > maxOpenFilters || s.byAccount[account]+filters > maxAccountFilters {
		return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many live views are open; close one and try again")
	}
	if s.byAccount == nil {
		s.byAccount = map[string]int{}
	}
	s.total += filters
	s.byAccount[account] += filters
	return func() { s.release(account, filters) }, nil
}

func (s *streamLimiter) release(account string, filters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= filters
	if s.byAccount[account] -= filters; s.byAccount[account] == 0 {
		delete(s.byAccount, account)
	}
}
