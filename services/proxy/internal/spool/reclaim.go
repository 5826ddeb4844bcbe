package spool

import (
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// stripRetryDelay is the pause after a failed attempt to drop bodies.
const stripRetryDelay = time.Second

// checkCapacity logs a change of level and wakes reclaimLoop if necessary.
func (s *Spool) checkCapacity() {
	s.capacity.refreshAvailable()
	level := s.capacity.level()
	if level >= Trimming {
		sendSignal(s.reclaimNeeded)
	}
	if level == s.loggedLevel || level < s.loggedLevel && s.capacity.isAbove(trimToPercent, s.capacity.available.Load()) {
		return
	}
	s.loggedLevel = level
	if level == Normal {
		s.log.Info("spool capacity is back to normal")
		return
	}
	s.log.Warn("spool is running out of capacity", "bytes", s.capacity.used.Load(), "limit", s.capacity.limit,
		"metadata_only", level >= MetadataOnly, "shedding", level == Shedding)
}

// reclaimLoop drops bodies in the background, so that requests and shipping do not
// wait.
func (s *Spool) reclaimLoop() {
	failing := false
	for {
		waitUntil(s.ctx, s.reclaimNeeded, time.Time{})
		if s.ctx.Err() != nil {
			return
		}
		err := s.reclaimSpace()
		if err != nil && !failing {
			s.log.Error("cannot drop bodies of records", "error", err)
		}
		if failing = err != nil; failing {
			waitUntil(s.ctx, nil, time.Now().Add(stripRetryDelay))
			sendSignal(s.reclaimNeeded)
		}
	}
}

// reclaimSpace drops bodies until usage is down to 60 % or no body is left. It
// begins with settled records and continues with the oldest records.
func (s *Spool) reclaimSpace() error {
	s.reclaimMu.Lock()
	defer s.reclaimMu.Unlock()
	_ = s.own.sync() // closes retired segments; syncLoop reports failures
	var unreadable error
	for _, onlySettled := range []bool{true, false} {
		for s.capacity.isAbove(trimToPercent, s.capacity.available.Load()) && s.ctx.Err() == nil {
			j, seg, settled := s.oldestStrippable(onlySettled)
			if seg == nil {
				break
			}
			err := j.stripSegment(seg, s.stripBody, settled)
			if errors.Is(err, errUnreadable) {
				unreadable = errors.Join(unreadable, err)
				continue
			}
			if err != nil {
				return err
			}
			s.capacity.refreshAvailable()
		}
	}
	return unreadable
}

// oldestStrippable returns the oldest segment whose bodies may be dropped. It searches
// the adopted directories (shippers[2:]) before the directory of this process
// (shippers[0]), because the adopted ones are older. It skips the memory queue
// (shippers[1]).
func (s *Spool) oldestStrippable(onlySettled bool) (*journal, *segmentState, []records.Range) {
	shippers := s.listShippers()
	for _, l := range slices.Concat(shippers[2:], shippers[:1]) {
		j := l.adopted
		if j == nil {
			j = s.own
		}
		settled := l.settledRanges()
		if seg := j.firstStrippable(settled, onlySettled); seg != nil {
			return j, seg, settled
		}
	}
	return nil, nil, nil
}

// firstStrippable returns the first segment that may still have bodies. It skips
// segments that are active or wait for their last sync.
func (j *journal) firstStrippable(settled []records.Range, onlySettled bool) *segmentState {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		if !seg.stripped && (!onlySettled || seg.isSettled(settled)) && j.openFileOf(seg) == nil {
			return seg
		}
	}
	return nil
}

// isSettled reports whether settled contains the sequence number of every END frame in
// the segment.
func (s *segmentState) isSettled(settled []records.Range) bool {
	for _, m := range s.ends {
		if !containsSeq(settled, m.seq) {
			return false
		}
	}
	return true
}
