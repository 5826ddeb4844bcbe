package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// State is what a Learner knows: the sums of all outcomes and the corrections that follow.
// It is not safe for concurrent use.
type State struct {
	// Base is the version of the shipped predictions that the residuals refer to.
	Base     string              `json:"base"`
	Accounts map[string]*account `json:"accounts"`
	// SharedLevel is how fine the shared corrections are that apply.
	SharedLevel int `json:"shared_level"`
	// Day is the number of the UTC day of the last change, and Midnight holds the
	// corrections at its begin, from which the daily limits count.
	Day      int64  `json:"day"`
	Midnight *Table `json:"midnight"`
	// Current holds the corrections that apply.
	Current *Table `json:"current"`
}

// NewState returns a state without outcomes.
func NewState() *State {
	return &State{Accounts: map[string]*account{}, Midnight: NewTable(), Current: NewTable()}
}

// DecodeState reads what Encode wrote. An empty state has no bytes.
func DecodeState(data []byte) (*State, error) {
	s := NewState()
	if len(data) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read the state of the learner: %w", err)
	}
	return s, errors.Join(s.Current.setVersion(), s.Midnight.setVersion())
}

// Encode returns the state as bytes.
func (s *State) Encode() ([]byte, error) { return json.Marshal(s) }

// Learn adds outcomes and makes the corrections that follow. base is the version of the
// shipped predictions. It reports whether the corrections changed.
func (s *State) Learn(now time.Time, base string, outcomes []Outcome) (changed bool, err error) {
	s.begin(now, base)
	s.add(outcomes)
	s.evict()
	return s.update()
}

// add adds outcomes. Before it adds an outcome, it compares what the corrections so far and
// the shipped weights predict for it.
func (s *State) add(outcomes []Outcome) {
	b := newBallot(voters(s.Accounts))
	var without [groups]corrections
	for i := range outcomes {
		o := &outcomes[i]
		a, known := s.Accounts[o.Account]
		if !known {
			a = newAccount()
			s.Accounts[o.Account] = a
		}
		group := groupOf(o.Account)
		if without[group] == nil {
			without[group] = b.corrections(levels, group)
		}
		s.score(a, o, without[group])
		a.add(o)
	}
}

// score compares predictions with an outcome. shared holds the shared corrections without
// the vote of the account's group.
func (s *State) score(a *account, o *Outcome, shared corrections) {
	strictness := a.strictness()
	base := float64(o.Predicted)/1000 + strictness
	var own, common [levels]float64
	for i, c := range cells(o.Model, o.Topic) {
		own[i] = base + a.correction(c, levels, strictness, nil)
		common[i] = base + shared.of(c)
	}
	a.Own.add(o, base, own)
	a.Shared.add(o, base, common)
}

// maxAccounts is the number of accounts that a state holds.
const maxAccounts = 1000

// evict drops the accounts with the fewest outcomes if there are too many.
func (s *State) evict() {
	for len(s.Accounts) > maxAccounts {
		least, weight := "", 0.0
		for id, a := range s.Accounts {
			if w := a.weight(); least == "" || w < weight || w == weight && id < least {
				least, weight = id, w
			}
		}
		delete(s.Accounts, least)
	}
}

// dailyFactor lets outcomes count half after 35 days.
const dailyFactor = 0.98

// baseFactor is the factor of the sums when other weights are shipped: the residuals of the
// old ones say something about the new ones, but not all.
const baseFactor = 0.5

// begin prepares the state for the day of now and the version of the shipped predictions.
func (s *State) begin(now time.Time, base string) {
	day := now.UTC().Unix() / secondsPerDay
	if s.Base != base {
		for _, a := range s.Accounts {
			a.forget(baseFactor)
			a.Own, a.Shared, a.Agreement, a.Level = scores{}, scores{}, agreement{}, 0
		}
		s.Base, s.SharedLevel = base, 0
	}
	if day < s.Day-1 {
		// A clock was wrong and was set back. Without this, the daily limits would count from
		// the same midnight until the wrong day comes. Clocks that differ by less than a day
		// change nothing, because the limits would otherwise begin anew at each change.
		s.Day, s.Midnight = day, s.Current
	}
	if day <= s.Day {
		return
	}
	for ; s.Day < day && s.Day > 0; s.Day++ {
		s.forgetDay()
	}
	s.Day, s.Midnight = day, s.Current
}

const secondsPerDay = 24 * 60 * 60

func (s *State) forgetDay() {
	for id, a := range s.Accounts {
		if a.forget(dailyFactor); len(a.Cells) == 0 {
			delete(s.Accounts, id)
		}
	}
}
