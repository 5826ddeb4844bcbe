package spool

import (
	"context"
	"os"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	// minBeatInterval is the shortest time between two reports. It limits the load on the
	// publisher.
	minBeatInterval = time.Second
	// maxBeatInterval is the longest time between two reports of a producer. The
	// dashboard considers a producer dead after a much longer silence.
	maxBeatInterval = 10 * time.Second
	beatTimeout     = time.Second
)

// heartbeat reports the state of the spool's producers through the publisher, so
// that the dashboard can show how many records have not arrived. Ship calls it.
type heartbeat struct {
	spool     *Spool
	pub       records.Publisher
	host      string
	reported  map[string]records.ProducerState
	notBefore time.Time
	// dueAt is when the next report is due, even if nothing changed.
	dueAt   time.Time
	failing bool
}

func newHeartbeat(s *Spool, pub records.Publisher) *heartbeat {
	host, _ := os.Hostname() // an unknown host is shown as empty
	return &heartbeat{spool: s, pub: pub, host: host, reported: map[string]records.ProducerState{}}
}

// beatIfDue reports the states that changed, or that were last reported 10 s ago. If
// the last report is too recent, it only schedules the next one.
func (h *heartbeat) beatIfDue(ctx context.Context) {
	now := time.Now()
	if now.Before(h.notBefore) {
		h.dueAt = h.notBefore
		return
	}
	h.reportStates(ctx, now)
	// A slow publisher gets reports less often.
	h.notBefore = time.Now().Add(max(minBeatInterval, 10*time.Since(now)))
	h.dueAt = now.Add(max(maxBeatInterval, time.Until(h.notBefore)))
}

// reportFinal reports the state when Ship or Close ends.
func (h *heartbeat) reportFinal(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatTimeout)
	defer cancel()
	h.reportStates(ctx, time.Now())
}

func (h *heartbeat) reportStates(ctx context.Context, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	for _, s := range h.spool.producerStates(h.host) {
		if t, ok := h.reported[s.Producer]; ok && s.EqualIgnoringTime(t) && now.Before(t.At.Add(maxBeatInterval)) {
			continue
		}
		s.At = now
		err := h.pub.ReportState(ctx, s)
		if err != nil && !h.failing {
			h.spool.log.Warn("cannot report the spool state", "error", err)
		}
		if h.failing = err != nil; h.failing {
			return
		}
		h.reported[s.Producer] = s
	}
}

// producerStates returns the states of this process's two producers, disk and memory,
// and of the adopted producers. It omits producers that have nothing to report.
func (s *Spool) producerStates(host string) []records.ProducerState {
	var out []records.ProducerState
	for i, l := range s.listShippers() {
		_, lost := l.countSettled()
		state := records.ProducerState{Producer: l.producer, Host: host, Written: l.backlog.lastAssigned(), FirstUnstored: l.lowestUnsettled(), Lost: lost}
		if i == 0 {
			state.Refused = s.withoutRecord.Load()
		}
		if state.Written+state.Refused > 0 {
			out = append(out, state)
		}
	}
	return out
}
