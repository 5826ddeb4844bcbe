package limits

// subject is a key or an account with its meters.
type subject struct {
	name             Subject
	limits           Set
	requests, tokens rate
	places           pool
	// day and month are those of now; old ones are kept until all that began
	// in them is settled and told.
	day, month *pool
	old        []*pool
	stored     stored
	busy       bool
	// passes are those that are out.
	passes int
}

// stored is what the ledger has of a subject, of the latest day and month.
type stored struct{ day, month total }

// total is the money of a period.
type total struct {
	period string
	nano   int64
}

// raise takes a later period or a higher sum.
func (t *total) raise(to total) {
	if to.period > t.period || to.period == t.period && to.nano > t.nano {
		*t = to
	}
}

// seed tells a pool what the ledger has of its period.
func (s *stored) seed(p *pool) {
	for _, t := range [...]total{s.day, s.month} {
		if p.money() && t.period == p.period {
			p.stored = max(p.stored, t.nano)
			p.other = max(p.other, sub(p.stored, p.settled))
		}
	}
}

func newSubject(accountID, scope, id string) *subject {
	s := &subject{name: Subject{AccountID: accountID, Scope: scope, ID: id}}
	s.requests.Subject = s.named(RequestsPerMinute)
	s.tokens.Subject = s.named(TokensPerMinute)
	s.places.Subject = s.named(ConcurrentRequests)
	return s
}

func (s *subject) named(limit string) Subject {
	n := s.name
	n.Name = limit
	return n
}

// prepare makes the limits and the calendar those of now.
func (s *subject) prepare(l *Set, c *calendar) {
	if s.limits != *l {
		s.limits = *l
		s.requests.set(l.RequestsPerMinute)
		s.tokens.set(l.TokensPerMinute)
		s.places.set(l.Concurrent)
	}
	if l.NanoUSDPerDay > 0 {
		s.day = s.turn(s.day, c.day, NanoUSDPerDay)
		s.day.ends = c.dayEnds
		s.day.set(l.NanoUSDPerDay)
	}
	if l.NanoUSDPerMonth > 0 {
		s.month = s.turn(s.month, c.month, NanoUSDPerMonth)
		s.month.ends = c.monthsEnds
		s.month.set(l.NanoUSDPerMonth)
	}
}

// turn returns the pool of a period: the current one, if it is that.
func (s *subject) turn(current *pool, period, name string) *pool {
	if current != nil && current.period == period {
		return current
	}
	if current != nil {
		s.old = append(s.old, current)
	}
	for i, p := range s.old {
		// The clock went back.
		if p.period == period && p.Name == name {
			s.old = append(s.old[:i], s.old[i+1:]...)
			return p
		}
	}
	p := &pool{Subject: s.named(name), period: period}
	s.stored.seed(p)
	return p
}

func (s *subject) pools(f func(*pool)) {
	f(&s.places)
	for _, p := range append([]*pool{s.day, s.month}, s.old...) {
		if p != nil {
			f(p)
		}
	}
}

func (s *subject) rests() bool {
	rests := s.requests.rests() && s.tokens.rests()
	s.pools(func(p *pool) { rests = rests && p.rests() })
	return rests
}

// settleOld forgets periods that are over and of which all is told.
func (s *subject) settleOld(alone bool) {
	kept := s.old[:0]
	for _, p := range s.old {
		if p.reserved > 0 || !alone && !p.rests() {
			kept = append(kept, p)
		}
	}
	clear(s.old[len(kept):])
	s.old = kept
}

// empty is whether nothing would be lost with it. What was spent in a period
// of now is needed: the counters take sums.
func (s *subject) empty(now int64, c *calendar) bool {
	if s.passes > 0 || s.busy || len(s.old) > 0 || s.requests.own.used(now) > 0 || s.tokens.own.used(now) > 0 {
		return false
	}
	if s.requests.seen.used(now) > 0 || s.tokens.seen.used(now) > 0 {
		return false
	}
	day := s.day == nil || s.day.period != c.day || s.day.settled == 0
	month := s.month == nil || s.month.period != c.month || s.month.settled == 0
	return day && month && s.stored.month.period != c.month
}
