package evidence

import "math"

// The limits of corrections, in thousandths. An account's own corrections may move faster,
// because they affect no other account.
const (
	maxCorrection = 250
	ownPerDay     = 100
	sharedPerDay  = 25
	// deadBand is the change that is too small to make a new version.
	deadBand = 5
)

// update makes the corrections that follow from the outcomes so far. It reports whether they
// changed.
func (s *State) update() (changed bool, err error) {
	next := NewTable()
	trusted := voters(s.Accounts)
	s.SharedLevel = sharedLevel(trusted)
	shared := newBallot(trusted).corrections(s.SharedLevel, none)
	next.Shared = limit(shared, s.Midnight.Shared, s.Current.Shared, sharedPerDay)
	for id, a := range s.Accounts {
		if a.Level = a.Own.level(a.Level); a.Level == 0 {
			continue
		}
		own := limit(a.corrections(a.Level, shared), s.Midnight.of(id), s.Current.of(id), ownPerDay)
		if len(own) == 0 {
			continue
		}
		if next.Accounts == nil {
			next.Accounts = map[string]map[Cell]int64{}
		}
		next.Accounts[id] = own
	}
	if err := next.setVersion(); err != nil {
		return false, err
	}
	changed = next.Version() != s.Current.Version()
	s.Current = next
	return changed, nil
}

// of returns the corrections that apply to an account.
func (t *Table) of(id string) map[Cell]int64 {
	if own, ok := t.Accounts[id]; ok {
		return own
	}
	return t.Shared
}

// limit rounds corrections, keeps them near their value at midnight, and keeps the current
// value where the change is small. Topics whose correction equals the one of the model are
// left out.
func limit(wanted corrections, midnight, current map[Cell]int64, perDay int64) map[Cell]int64 {
	limited := map[Cell]int64{}
	for c, v := range wanted {
		value := min(max(int64(math.Round(v*1000)), -maxCorrection), maxCorrection)
		start := correctionOf(midnight, c.Model, c.Topic)
		value = min(max(value, start-perDay), start+perDay)
		if now := correctionOf(current, c.Model, c.Topic); value-now < deadBand && now-value < deadBand {
			value = now
		}
		limited[c] = value
	}
	out := map[Cell]int64{}
	for c, v := range limited {
		if c.level() == 0 && v == 0 || c.level() > 0 && v == limited[Cell{Model: c.Model}] {
			continue
		}
		out[c] = v
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
