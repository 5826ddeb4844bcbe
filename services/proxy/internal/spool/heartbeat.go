package spool

import (
	"context"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	// beatSoonest spares the carrier, beatLatest tells the ledger that somebody
	// is there: one that is silent for much longer is taken for dead.
	beatSoonest = time.Second
	beatLatest  = 10 * time.Second
	beatTimeout = time.Second
)

// heartbeat tells the ledger, through the carrier, how the producers of a spool
// are, so that it knows of records that have not arrived. Ship drives it.
type heartbeat struct {
	spool   *Spool
	pub     records.Publisher
	host    string
	told    map[string]records.State
	soonest time.Time
	// latest is when the next one is due whatever happens.
	latest  time.Time
	failing bool
}

func newHeartbeat(s *Spool, pub records.Publisher) *heartbeat {
	host, _ := os.Hostname() // without one people see none
	return &heartbeat{spool: s, pub: pub, host: host, told: map[string]records.State{}}
}

// beat reports what is new, if the last time was long enough ago; else it is
// due as soon as it will be.
func (h *heartbeat) beat(ctx context.Context) {
	now := time.Now()
	if now.Before(h.soonest) {
		h.latest = h.soonest
		return
	}
	h.tell(ctx, now)
	// A carrier that takes long to answer is asked the less often.
	h.soonest = time.Now().Add(max(beatSoonest, 10*time.Since(now)))
	h.latest = now.Add(max(beatLatest, time.Until(h.soonest)))
}

// last reports how the spool is left.
func (h *heartbeat) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatTimeout)
	defer cancel()
	h.tell(ctx, time.Now())
}

func (h *heartbeat) tell(ctx context.Context, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	for _, s := range h.spool.states(h.host) {
		if t, ok := h.told[s.Producer]; ok && s.Same(t) && now.Before(t.At.Add(beatLatest)) {
			continue
		}
		s.At = now
		err := h.pub.Report(ctx, s)
		if err != nil && !h.failing {
			h.spool.log.Warn("the ledger cannot be told what was written", "error", err)
		}
		if h.failing = err != nil; h.failing {
			return
		}
		h.told[s.Producer] = s
	}
}

// states are those of this process's producers, on the disk and in memory, and
// of the adopted ones, if there is anything to tell.
func (s *Spool) states(host string) []records.State {
	var out []records.State
	for i, l := range s.lanesNow() {
		_, lost := l.account()
		state := records.State{Producer: l.producer, Host: host, Written: l.backlog.last(), Held: l.lowest(), Lost: lost}
		if i == 0 {
			state.Refused = s.refused.Load()
		}
		if state.Written+state.Refused > 0 {
			out = append(out, state)
		}
	}
	return out
}
