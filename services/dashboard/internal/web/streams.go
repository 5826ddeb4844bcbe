package web

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxStreams bounds those who follow at once; accountStreams those of one
	// account, so that one cannot keep the others out.
	maxStreams     = 500
	accountStreams = 40
)

// streams counts who follows.
type streams struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// enter takes a place, which leave gives back.
func (s *streams) enter(account string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || s.of[account] >= accountStreams {
		return nil, apperr.New(apperr.ConcurrencyLimitExceeded, "too many live views are open; close one")
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all++
	s.of[account]++
	return func() { s.leave(account) }, nil
}

func (s *streams) leave(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[account]--; s.of[account] == 0 {
		delete(s.of, account)
	}
}
