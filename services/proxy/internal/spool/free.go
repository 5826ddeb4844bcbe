package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// free deletes, in order, the files whose every frame has its record under
// below, the first number that is not committed.
func (j *journal) free(below uint64) error {
	err := j.carry(below)
	j.files.Lock()
	defer j.files.Unlock()
	for path := j.spent(below); path != ""; path = j.spent(below) {
		if err := removed(path); err != nil {
			return fmt.Errorf("free spool segment: %w", err)
		}
		j.mu.Lock()
		j.room.used.Add(-j.segments[0].size)
		j.segments[0] = nil
		j.segments = j.segments[1:]
		j.mu.Unlock()
	}
	return err
}

// spent returns the first segment's path if nothing needs it any more.
func (j *journal) spent(below uint64) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.segments) == 0 {
		return ""
	}
	seg := j.segments[0]
	active := j.file != nil && len(j.segments) == 1
	if active || seg.open > 0 || seg.last >= below {
		return ""
	}
	return seg.path
}

// done reports whether every frame has been freed.
func (j *journal) done() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.segments) == 0
}

// remove deletes an empty directory and gives up the lock. The lock file goes
// before the lock, so that nobody takes a directory that is about to go.
func (j *journal) remove() error {
	if j.lock == nil {
		return nil
	}
	return errors.Join(removed(filepath.Join(j.dir, lockName)), removed(j.dir), j.unlock())
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
