package web

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxFollowed bounds the filters that are followed at once, each of which is
	// asked for at every step; accountFollowed those of one account, so that one
	// cannot keep the others out.
	maxFollowed     = 500
	accountFollowed = 40
)

// streams counts who follows.
type streams struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// enter takes a place for each filter, which leave gives back.
func (s *streams) enter(account string, filters int) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all+filters > maxFollowed || s.of[account]+filters > accountFollowed {
		return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many live views are open; close one")
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all += filters
	s.of[account] += filters
	return func() { s.leave(account, filters) }, nil
}

func (s *streams) leave(account string, filters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all -= filters
	if s.of[account] -= filters; s.of[account] == 0 {
		delete(s.of, account)
	}
}
