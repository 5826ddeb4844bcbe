package limits_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// model is the shared counters in memory, for tests in which minutes pass. The
// scripts of package counters do the same, and are tested with Redis.
type model struct {
	mu    sync.Mutex
	full  map[limits.Subject]time.Time
	holds map[string]map[string]*modelHold
	alive map[string]time.Time
	down  bool
}

type modelHold struct {
	settled, held int64
	till          time.Time
}

func newModel() *model {
	return &model{full: map[limits.Subject]time.Time{}, holds: map[string]map[string]*modelHold{}, alive: map[string]time.Time{}}
}

// set takes the counters away, or brings them back.
func (m *model) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// side is the model as one proxy has it. Dead, it reaches nobody.
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

func (s *side) Proxies(_ context.Context, within time.Duration, join bool) (int, bool, error) {
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

func (s *side) Exchange(_ context.Context, rates []limits.RateAsk, holds []limits.HoldAsk) ([]limits.RateGrant, []limits.HoldGrant, error) {
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

func (s *side) rate(a *limits.RateAsk) limits.RateGrant {
	now := time.Now()
	each := time.Minute / time.Duration(a.Limit)
	full, ok := s.full[a.Subject]
	if !ok {
		full = now.Add(a.Seen)
	}
	if full = full.Add(-time.Duration(a.Back) * each); full.Before(now) {
		full = now
	}
	full = full.Add(time.Duration(a.Debit) * each)
	units := min(a.Want, int64(now.Add(time.Minute).Sub(full)/each))
	if units < max(0, a.Least) {
		units = 0
	}
	full = full.Add(time.Duration(units) * each)
	s.full[a.Subject] = full
	return limits.RateGrant{Units: units, Used: full.Sub(now)}
}

func (s *side) hold(a *limits.HoldAsk) limits.HoldGrant {
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
	stored.settled, own.settled = max(stored.settled, a.Stored), max(own.settled, a.Settled)
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
	// What of stored nobody has settled is the base, as what stored holds.
	switch {
	case len(all) == 2 && !joined:
		stored.held = max(0, stored.settled-settled)
	case !joined:
		stored.held = max(0, stored.held-own.settled)
	}
	spent := max(stored.held+settled, stored.settled)
	free := a.Limit - spent - others - a.Used
	var more int64
	if free > 0 && free >= a.Least {
		more = min(a.Need, free)
		more += min(a.Spare, (free-more)/a.SparePart)
	}
	own.held, own.till = a.Used+more, time.Now().Add(a.TTL)
	return limits.HoldGrant{Held: own.held, Free: max(0, free-more), Spent: spent}
}
