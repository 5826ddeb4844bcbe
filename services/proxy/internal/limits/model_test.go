package limits_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// model implements the shared counters in memory, for tests in which minutes pass. The
// scripts of package counters do the same and are tested with Redis.
type model struct {
	mu    sync.Mutex
	full  map[limits.CounterID]time.Time
	holds map[string]map[string]*modelHold
	alive map[string]time.Time
	down  bool
}

type modelHold struct {
	settled, held int64
	till          time.Time
}

func newModel() *model {
	return &model{full: map[limits.CounterID]time.Time{}, holds: map[string]map[string]*modelHold{}, alive: map[string]time.Time{}}
}

// set makes the counters unavailable or available again.
func (m *model) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// side is one proxy's view of the model. A dead proxy cannot reach it.
type side struct {
	*model
	me   string
	dead bool
}

func (s *side) die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

func (s *side) isDead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (s *side) CountProxies(_ context.Context, within time.Duration, join bool) (int, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down || s.dead {
		return 0, false, errors.New("away")
	}
	_, known := s.alive[s.me]
	if join {
		s.alive[s.me] = time.Now()
	}
	n := 0
	for _, heard := range s.alive {
		if time.Since(heard) <= within {
			n++
		}
	}
	return n, known, nil
}

func (s *side) Exchange(_ context.Context, rates []limits.RateUpdate, holds []limits.HoldUpdate) ([]limits.RateGrant, []limits.HoldGrant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down || s.dead {
		return nil, nil, errors.New("away")
	}
	r, h := make([]limits.RateGrant, len(rates)), make([]limits.HoldGrant, len(holds))
	for i := range rates {
		r[i] = s.rate(&rates[i])
	}
	for i := range holds {
		h[i] = s.hold(&holds[i])
	}
	return r, h, nil
}

func (s *side) rate(a *limits.RateUpdate) limits.RateGrant {
	now := time.Now()
	each := time.Minute / time.Duration(a.Limit)
	full, ok := s.full[a.CounterID]
	if !ok {
		full = now.Add(a.LastUsed)
	}
	if full = full.Add(-time.Duration(a.Returned) * each); full.Before(now) {
		full = now
	}
	full = full.Add(time.Duration(a.Debit) * each)
	units := min(a.Max, int64(now.Add(time.Minute).Sub(full)/each))
	if units < max(0, a.Min) {
		units = 0
	}
	full = full.Add(time.Duration(units) * each)
	s.full[a.CounterID] = full
	return limits.RateGrant{Units: units, Used: full.Sub(now)}
}

func (s *side) hold(a *limits.HoldUpdate) limits.HoldGrant {
	name := strings.Join([]string{a.Scope, a.ID, a.Name, a.Period}, ":")
	all := s.holds[name]
	if all == nil {
		all = map[string]*modelHold{"stored": {}}
		s.holds[name] = all
	}
	joined := all[s.me] != nil
	if !joined {
		all[s.me] = &modelHold{}
	}
	own, stored := all[s.me], all["stored"]
	stored.settled, own.settled = max(stored.settled, a.StoredSpent), max(own.settled, a.Spent)
	var settled, others int64
	for who, h := range all {
		if who == "stored" {
			continue
		}
		settled += h.settled
		if who != s.me && h.till.After(time.Now()) {
			others += h.held
		}
	}
	// The part of stored that no proxy has settled is the base.
	switch {
	case len(all) == 2 && !joined:
		stored.held = max(0, stored.settled-settled)
	case !joined:
		stored.held = max(0, stored.held-own.settled)
	}
	spent := max(stored.held+settled, stored.settled)
	free := a.Limit - spent - others - a.Reserved
	var more int64
	if free > 0 && free >= a.Min {
		more = min(a.Need, free)
		more += min(a.Spare, (free-more)/a.SpareDivisor)
	}
	own.held, own.till = a.Reserved+more, time.Now().Add(a.HoldTTL)
	return limits.HoldGrant{Held: own.held, Free: max(0, free-more), TotalSpent: spent}
}
