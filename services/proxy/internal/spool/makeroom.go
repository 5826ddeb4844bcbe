package spool

import (
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// stripRetry is how long bodies are left alone after one could not be dropped.
const stripRetry = time.Second

// watchRoom tells of a new rung of the ladder, and has bodies dropped.
func (s *Spool) watchRoom() {
	s.room.look()
	level := s.room.level()
	if level >= Crowded {
		ring(s.crowded)
	}
	if level == s.told || level < s.told && s.room.above(enoughAt, s.room.disk.Load()) {
		return
	}
	s.told = level
	if level == Roomy {
		s.log.Info("spool has room again")
		return
	}
	s.log.Warn("spool is short of room", "bytes", s.room.used.Load(), "limit", s.room.limit,
		"bare", level >= Bare, "shedding", level == Shedding)
}

// roomLoop drops bodies, beside the requests and the shipping.
func (s *Spool) roomLoop() {
	failing := false
	for {
		pause(s.life, s.crowded, time.Time{})
		if s.life.Err() != nil {
			return
		}
		err := s.makeRoom()
		if err != nil && !failing {
			s.log.Error("bodies of records cannot be dropped", "error", err)
		}
		if failing = err != nil; failing {
			pause(s.life, nil, time.Now().Add(stripRetry))
			ring(s.crowded)
		}
	}
}

// makeRoom drops bodies until enough room is free or there are none: first
// those that the store has already, then of the oldest records.
func (s *Spool) makeRoom() error {
	s.making.Lock()
	defer s.making.Unlock()
	_ = s.own.sync() // which closes files; the syncLoop tells of failure
	var unreadable error
	for _, harmless := range []bool{true, false} {
		for s.room.above(enoughAt, s.room.disk.Load()) && s.life.Err() == nil {
			j, seg, settled := s.oldest(harmless)
			if seg == nil {
				break
			}
			err := j.strip(seg, s.strip, settled)
			if errors.Is(err, errUnreadable) {
				unreadable = errors.Join(unreadable, err)
				continue
			}
			if err != nil {
				return err
			}
			s.room.look()
		}
	}
	return unreadable
}

// oldest finds the oldest segment whose bodies may be dropped: those of dead
// producers are older than any of ours.
func (s *Spool) oldest(harmless bool) (*journal, *segment, []records.Range) {
	lanes := s.lanesNow()
	for _, l := range slices.Concat(lanes[2:], lanes[:1]) {
		j := l.journal
		if j == nil {
			j = s.own
		}
		settled := l.settledNow()
		if seg := j.whole(settled, harmless); seg != nil {
			return j, seg, settled
		}
	}
	return nil, nil, nil
}

// whole returns the first segment that may still have bodies. One that is
// written to, or waits for its last sync, is left alone.
func (j *journal) whole(settled []records.Range, harmless bool) *segment {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		if !seg.bare && (!harmless || seg.settled(settled)) && j.opened(seg) == nil {
			return seg
		}
	}
	return nil
}

// settled reports whether every END here has a settled number.
func (s *segment) settled(settled []records.Range) bool {
	for _, m := range s.marks {
		if !contains(settled, m.seq) {
			return false
		}
	}
	return true
}
