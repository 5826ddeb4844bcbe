package engine

import (
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
)

// window is how many minutes the counts go back.
const window = 5

// Outcome is what became of one attempt.
type Outcome struct {
	Target decide.Target
	// Code is empty on success.
	Code apperr.Code
}

// TargetStatus is the health of one target over the last minutes.
type TargetStatus struct {
	Target    decide.Target
	Succeeded int64
	Failed    int64
	// LastCode and LastFailure are empty when nothing failed yet.
	LastCode    apperr.Code
	LastFailure time.Time
}

// asked tells whether anything is known of it.
func (s TargetStatus) asked() bool { return s.Succeeded+s.Failed > 0 || s.LastCode != "" }

// health counts what became of attempts, for the targets of the active policy
// and no others, so that reports cannot fill the memory. It is for people to
// look at; no decision depends on it.
type health struct {
	mu      sync.Mutex
	targets map[decide.Target]*tally
}

type tally struct {
	minutes  [window]minute
	lastCode apperr.Code
	last     time.Time
}

type minute struct {
	at                int64
	succeeded, failed int64
}

func newHealth() *health { return &health{targets: map[decide.Target]*tally{}} }

// keep drops the targets that are gone and begins to count the new ones.
func (h *health) keep(targets []decide.Target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := make(map[decide.Target]*tally, len(targets))
	for _, t := range targets {
		kept[t] = h.targets[t]
		if kept[t] == nil {
			kept[t] = &tally{}
		}
	}
	h.targets = kept
}

func (h *health) report(o Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	y, ok := h.targets[o.Target]
	if !ok || !tells(o.Code) {
		return
	}
	now := time.Now()
	m := y.minute(now)
	if o.Code == "" {
		m.succeeded++
		return
	}
	m.failed++
	y.lastCode, y.last = o.Code, now
}

// tells is whether an outcome says anything about the target: a request that
// was refused for what it is, or whose client went away, does not.
func tells(code apperr.Code) bool {
	switch code {
	case "", apperr.ProviderRateLimited, apperr.ProviderOverloaded, apperr.ProviderTimeout, apperr.ProviderConnection,
		apperr.ProviderUpstream, apperr.ProviderInvalidResponse, apperr.ProviderAuth, apperr.ProviderQuotaExhausted,
		apperr.ProviderModelUnavailable, apperr.ProviderInterrupted:
		return true
	}
	return false
}

// minute is the count of the present minute, emptied if it was another's.
func (y *tally) minute(now time.Time) *minute {
	at := now.Unix() / 60
	m := &y.minutes[at%window]
	if m.at != at {
		*m = minute{at: at}
	}
	return m
}

func (h *health) status(t decide.Target) TargetStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := TargetStatus{Target: t}
	y, ok := h.targets[t]
	if !ok {
		return s
	}
	s.LastCode, s.LastFailure = y.lastCode, y.last
	oldest := time.Now().Unix()/60 - window
	for _, m := range y.minutes {
		if m.at > oldest {
			s.Succeeded += m.succeeded
			s.Failed += m.failed
		}
	}
	return s
}
