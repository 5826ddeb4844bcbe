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

// kept is what is on disk of a subject: when its rates are full again, and
// what this process has spent.
type kept struct {
	AccountID string    `json:"account_id"`
	KeyID     string    `json:"key_id,omitempty"`
	Requests  time.Time `json:"requests,omitzero"`
	Tokens    time.Time `json:"tokens,omitzero"`
	Day       sum       `json:"day,omitzero"`
	Month     sum       `json:"month,omitzero"`
}

type sum struct {
	Period  string `json:"period"`
	NanoUSD int64  `json:"nano_usd"`
}

// save writes what has changed. A disk that refuses it is tried again: what
// is lost at worst are the rates of a minute, for the ledger has the money.
func (k *Keeper) save() {
	if k.path == "" || !k.changed.Swap(false) {
		return
	}
	if err := k.write(); err != nil {
		k.changed.Store(true)
		k.log.Warn("limits: the figures cannot be kept", "error", err)
	}
}

func (k *Keeper) write() error {
	data, err := json.Marshal(k.collect())
	if err != nil {
		return err
	}
	next := k.path + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, k.path)
}

func (k *Keeper) collect() []kept {
	all := []kept{}
	t := k.now()
	now, c := k.instant(t), k.calendar(t)
	k.everyAccount(func(a *account) {
		a.each(func(s *subject) {
			if s.empty(now, c) {
				return
			}
			all = append(all, s.keep(k, now))
		})
	})
	return all
}

func (s *subject) keep(k *Keeper, now int64) kept {
	out := kept{AccountID: s.name.AccountID}
	if s.name.Scope == ScopeKey {
		out.KeyID = s.name.ID
	}
	if s.requests.own.used(now) > 0 {
		out.Requests = k.began.Add(time.Duration(s.requests.own.full)).Round(0).UTC()
	}
	if s.tokens.own.used(now) > 0 {
		out.Tokens = k.began.Add(time.Duration(s.tokens.own.full)).Round(0).UTC()
	}
	if s.day != nil {
		out.Day = sum{s.day.period, s.day.settled}
	}
	if s.month != nil {
		out.Month = sum{s.month.period, s.month.settled}
	}
	return out
}

// load reads what was kept, if it can be.
func (k *Keeper) load() {
	if k.path == "" {
		return
	}
	all, err := read(k.path)
	if err != nil {
		k.log.Warn("limits: the kept figures cannot be read; rates start anew, money goes by the ledger", "error", err)
	}
	for _, one := range all {
		a := k.lock(one.AccountID)
		s := a.own
		if one.KeyID != "" {
			s = a.key(one.KeyID)
		}
		s.restore(k, one)
		a.mu.Unlock()
	}
}

func read(path string) ([]kept, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []kept
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return all, nil
}

func (s *subject) restore(k *Keeper, one kept) {
	s.requests.own.full = k.remaining(one.Requests)
	s.tokens.own.full = k.remaining(one.Tokens)
	if one.Day.Period != "" {
		s.day = &pool{Subject: s.named(NanoUSDPerDay), period: one.Day.Period, settled: max(0, one.Day.NanoUSD)}
	}
	if one.Month.Period != "" {
		s.month = &pool{Subject: s.named(NanoUSDPerMonth), period: one.Month.Period, settled: max(0, one.Month.NanoUSD)}
	}
}

// remaining is the instant of a kept time. A clock that was set back must not
// keep anybody out for longer than a bucket takes to fill.
func (k *Keeper) remaining(t time.Time) int64 {
	if t.Before(k.began) {
		return 0
	}
	return min(k.instant(t), minute)
}
