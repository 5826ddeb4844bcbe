package spool

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// syncInterval is how long appended frames may stay unsynced. A power failure can
// lose the frames of this time. A killed process loses none.
const syncInterval = 20 * time.Millisecond

// syncLoop syncs appended frames in groups, in the background. Records are sent
// only after an attempt to sync them. Otherwise a power failure could remove the
// END frame of a record that the store already has. Recovery would then find only
// the START frame and record the request as aborted.
func (s *Spool) syncLoop() {
	var retryAt time.Time
	for {
		waitUntil(s.ctx, s.syncNeeded, retryAt)
		if s.ctx.Err() != nil {
			return
		}
		waitUntil(s.ctx, nil, time.Now().Add(syncInterval))
		err := s.own.sync()
		if s.syncFailing.Swap(err != nil) != (err != nil) && err != nil {
			s.log.Error("spool sync failed", "error", err)
		}
		if retryAt = s.own.probeDisk(retryAt, time.Now()); retryAt.IsZero() {
			s.saveQueue()
			if err != nil {
				retryAt = time.Now().Add(probeInterval)
			}
		}
		s.checkCapacity()
		sendSignal(s.shipNeeded)
	}
}

// sync makes the frames that were appended before the call durable and marks
// them as sendable. They become sendable even if the sync fails, because the
// store is then safer than the disk.
func (j *journal) sync() error {
	j.syncMu.Lock()
	defer j.syncMu.Unlock()
	j.releaseRemovedFiles()
	j.mu.Lock()
	retired, file, hasNewSegment, dir, seq := slices.Clone(j.retired), j.activeFile, j.hasNewSegment, j.dir, j.lastSeq
	j.hasNewSegment = false
	j.mu.Unlock()

	var errs []error
	for _, r := range retired {
		errs = append(errs, j.finishRetired(r))
	}
	if file != nil {
		errs = append(errs, file.Sync())
	}
	if hasNewSegment {
		errs = append(errs, segment.SyncDir(dir), segment.SyncDir(filepath.Dir(dir)))
	}
	j.mu.Lock()
	j.syncedSeq = max(j.syncedSeq, seq)
	j.mu.Unlock()
	return errors.Join(errs...)
}

// stopWriting syncs, and makes the journal reject further frames. A second call only
// syncs again.
func (j *journal) stopWriting() error {
	j.mu.Lock()
	j.closed = true
	j.retireActiveSegment()
	j.mu.Unlock()
	return j.sync()
}
