package playground

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxAccountRuns is how many runs of an account this dashboard relays at a time: two
	// users with four models each. The limits of the account apply in addition.
	maxAccountRuns = 8
	// maxRuns limits the runs of all accounts, because each holds two connections.
	maxRuns = 256
)

// runLimiter limits concurrent runs.
type runLimiter struct {
	mu        sync.Mutex
	total     int
	byAccount map[string]int
}

// acquire reserves a slot for a run. The returned function releases it.
func (l *runLimiter) acquire(account string) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= maxRuns || l.byAccount[account] >= maxAccountRuns {
		return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many playground runs at the same time; wait until one has finished").
			With("limit", maxAccountRuns)
	}
	if l.byAccount == nil {
		l.byAccount = map[string]int{}
	}
	l.total++
	l.byAccount[account]++
	return func() { l.release(account) }, nil
}

func (l *runLimiter) release(account string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.byAccount[account]--; l.byAccount[account] == 0 {
		delete(l.byAccount, account)
	}
}
