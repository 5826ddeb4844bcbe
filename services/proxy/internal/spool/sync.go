package spool

import (
	"errors"
	"path/filepath"
	"slices"
	"time"
)

// syncEvery is what a power failure may cost; a killed process loses nothing.
const syncEvery = 20 * time.Millisecond

// syncLoop makes what was appended durable, in groups, beside the requests.
// Only then is it sent, so that after a power failure recovery does not call a
// request cut off whose record the store has.
func (s *Spool) syncLoop() {
	var again time.Time
	for {
		pause(s.life, s.dirty, again)
		if s.life.Err() != nil {
			return
		}
		pause(s.life, nil, time.Now().Add(syncEvery))
		err := s.own.sync()
		if s.unsynced.Swap(err != nil) != (err != nil) && err != nil {
			s.log.Error("spool cannot be synced", "error", err)
		}
		if again = s.own.probe(again, time.Now()); again.IsZero() {
			s.saveQueue()
			if err != nil {
				again = time.Now().Add(probeEvery)
			}
		}
		s.watchRoom()
		ring(s.wake)
	}
}

// sync makes durable what was appended before the call, and lets it be sent.
// If the disk refuses it is sent all the same: the store is the safer place.
func (j *journal) sync() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.detach()
	j.mu.Lock()
	done, file, grown, dir, seq := slices.Clone(j.retired), j.file, j.grown, j.dir, j.seq
	j.grown = false
	j.mu.Unlock()

	var errs []error
	for _, r := range done {
		errs = append(errs, j.finish(r))
	}
	if file != nil {
		errs = append(errs, file.Sync())
	}
	if grown {
		errs = append(errs, syncDir(dir), syncDir(filepath.Dir(dir)))
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
	j.retire()
	j.mu.Unlock()
	return j.sync()
}
