package spool

import (
	"errors"
	"time"
)

// syncEvery is what a power failure may cost; a killed process loses nothing.
const syncEvery = 10 * time.Millisecond

// syncLoop makes what was appended durable, in groups, beside the requests.
// Only then is it sent, so that after a power failure recovery does not call a
// request cut off whose record the store has.
func (s *Spool) syncLoop() {
	failing := false
	var probe time.Time
	for {
		pause(s.life, s.dirty, probe)
		if s.life.Err() != nil {
			return
		}
		pause(s.life, nil, time.Now().Add(syncEvery))
		err := s.own.sync()
		if err != nil && !failing {
			s.log.Error("spool cannot be synced", "error", err)
		}
		failing = err != nil
		probe = s.own.probe(probe, time.Now())
		ring(s.wake)
	}
}

// sync makes durable what was appended before the call, and lets it be sent.
// If the disk refuses it is sent all the same: the store is the safer place.
func (j *journal) sync() error {
	j.mu.Lock()
	retired, file, grown, seq := j.retired, j.file, j.grown, j.seq
	j.retired, j.grown = nil, false
	j.mu.Unlock()

	var errs []error
	for _, f := range retired {
		errs = append(errs, f.Sync(), f.Close())
	}
	if file != nil {
		errs = append(errs, file.Sync())
	}
	if grown {
		errs = append(errs, syncDir(j.dir))
	}
	j.mu.Lock()
	j.safe = max(j.safe, seq)
	j.mu.Unlock()
	return errors.Join(errs...)
}

// seal ends the writing for good. A second call does nothing.
func (j *journal) seal() error {
	j.mu.Lock()
	j.closed = true
	if j.file != nil {
		j.retired, j.file = append(j.retired, j.file), nil
	}
	j.mu.Unlock()
	return j.sync()
}
