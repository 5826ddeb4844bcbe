package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// freeBelow deletes, in order, the segments that are no longer needed. below is
// the lowest sequence number that is not settled.
func (j *journal) freeBelow(below uint64) error {
	err := j.moveOpenStarts(below)
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	for path := j.freeableSegment(below); path != ""; path = j.freeableSegment(below) {
		if err := removeIfExists(path); err != nil {
			return fmt.Errorf("delete spool segment: %w", err)
		}
		j.mu.Lock()
		j.capacity.used.Add(-j.segments[0].size)
		j.segments[0] = nil
		j.segments = j.segments[1:]
		j.mu.Unlock()
	}
	return err
}

// freeableSegment returns the first segment's path if it is no longer needed.
func (j *journal) freeableSegment(below uint64) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.segments) == 0 {
		return ""
	}
	seg := j.segments[0]
	active := j.activeFile != nil && len(j.segments) == 1
	if active || seg.openStarts > 0 || seg.neededUntil >= below {
		return ""
	}
	return seg.path
}

// isEmpty reports whether every segment is deleted.
func (j *journal) isEmpty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.segments) == 0
}

// removeDir deletes the empty directory and unlocks it. It removes the lock file
// before it unlocks, so that no other process adopts the directory meanwhile.
func (j *journal) removeDir() error {
	if j.lock == nil {
		return nil
	}
	return errors.Join(removeIfExists(filepath.Join(j.dir, lockName)), removeIfExists(j.dir), j.unlock())
}

func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
