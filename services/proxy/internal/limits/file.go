package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// savedSubject is the limit state of a key, an account or a member of a group budget on disk.
// Requests and Tokens are the times at which the rate limits are fully available again. Hour,
// Day, Week, Month and Total are what this process has spent.
type savedSubject struct {
	AccountID string     `json:"account_id"`
	KeyID     string     `json:"key_id,omitempty"`
	Budget    string     `json:"budget,omitempty"`
	Requests  time.Time  `json:"requests,omitzero"`
	Tokens    time.Time  `json:"tokens,omitzero"`
	Hour      savedSpend `json:"hour,omitzero"`
	Day       savedSpend `json:"day,omitzero"`
	Week      savedSpend `json:"week,omitzero"`
	Month     savedSpend `json:"month,omitzero"`
	Total     savedSpend `json:"total,omitzero"`
}

func (s *savedSubject) byWindow() [windowCount]*savedSpend {
	return [windowCount]*savedSpend{&s.Hour, &s.Day, &s.Week, &s.Month, &s.Total}
}

type savedSpend struct {
	Period  string `json:"period"`
	NanoUSD int64  `json:"nano_usd"`
}

// saveIfChanged writes the limit state to the file if it has changed. After a
// failure, the next call retries. A crash loses what the rate limits counted since
// the last save. It loses no spend, because the spend is also in the stored records.
func (k *Limiter) saveIfChanged() {
	if k.path == "" || !k.dirty.Swap(false) {
		return
	}
	if err := k.writeFile(); err != nil {
		k.dirty.Store(true)
		k.log.Warn("limits: cannot save the limit state", "error", err)
	}
}

// saveNow writes the limit state to the file, if there is one, and waits for it. Reservations
// in strict budgets must survive a crash.
func (k *Limiter) saveNow() error {
	if k.path == "" {
		return nil
	}
	if err := k.writeFile(); err != nil {
		return fmt.Errorf("save the limit state: %w", err)
	}
	return nil
}

func (k *Limiter) writeFile() error {
	k.fileMu.Lock()
	defer k.fileMu.Unlock()
	data, err := json.Marshal(k.collectSaved())
	if err != nil {
		return err
	}
	next := k.path + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, k.path)
}

func (k *Limiter) collectSaved() []savedSubject {
	all := []savedSubject{}
	t := k.now()
	now, c := k.toInstant(t), k.calendarAt(t)
	k.forEachAccount(func(a *account) {
		a.forEachSubject(func(s *subject) {
			if s.isForgettable(now, c) {
				return
			}
			all = append(all, s.toSaved(k, now))
		})
	})
	return all
}

func (s *subject) toSaved(k *Limiter, now int64) savedSubject {
	out := savedSubject{AccountID: s.id.AccountID}
	switch s.id.Scope {
	case ScopeKey:
		out.KeyID = s.id.ID
	case ScopeBudget:
		out.Budget = s.id.ID
	}
	if s.requests.local.usedTime(now) > 0 {
		out.Requests = k.epoch.Add(time.Duration(s.requests.local.fullAt)).Round(0).UTC()
	}
	if s.tokens.local.usedTime(now) > 0 {
		out.Tokens = k.epoch.Add(time.Duration(s.tokens.local.fullAt)).Round(0).UTC()
	}
	for w, into := range out.byWindow() {
		if p := s.budgets[w]; p != nil {
			*into = savedSpend{p.period, p.spentAfterCrash()}
		}
	}
	return out
}

// loadFile reads the saved limit state. If that fails, it logs the error.
func (k *Limiter) loadFile() {
	if k.path == "" {
		return
	}
	all, err := readFile(k.path)
	if err != nil {
		k.log.Warn("limits: cannot read the saved limit state; rate limits start unused, budgets use the stored spend", "error", err)
	}
	for _, saved := range all {
		a := k.lockAccount(saved.AccountID)
		s := a.own
		switch {
		case saved.KeyID != "":
			s = a.keySubject(saved.KeyID)
		case saved.Budget != "":
			s = a.groupSubject(saved.Budget, "")
		}
		s.restore(k, saved)
		a.mu.Unlock()
	}
}

func readFile(path string) ([]savedSubject, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []savedSubject
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return all, nil
}

func (s *subject) restore(k *Limiter, saved savedSubject) {
	s.requests.local.fullAt = k.restoreInstant(saved.Requests)
	s.tokens.local.fullAt = k.restoreInstant(saved.Tokens)
	for w, from := range saved.byWindow() {
		if from.Period != "" {
			s.budgets[w] = &pool{CounterID: s.counterID(windowLimits[w]), period: from.Period, ownSpent: max(0, from.NanoUSD)}
		}
	}
}

// restoreInstant converts a saved time to an instant that is at most a minute ahead.
// Otherwise, after the clock was set back, requests could be rejected for longer.
func (k *Limiter) restoreInstant(t time.Time) int64 {
	if t.Before(k.epoch) {
		return 0
	}
	return min(k.toInstant(t), minute)
}
