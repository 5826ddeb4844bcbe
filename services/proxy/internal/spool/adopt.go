package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/google/uuid"
)

// maxCreateAttempts limits the attempts to create a directory. An attempt fails
// if another process adopts the new directory before this process locks it.
const maxCreateAttempts = 10

// createJournal creates a producer's directory with its first segment. If the disk is
// full, read-only or failing, it returns a journal that creates both later.
func createJournal(c Config, capacity *diskCapacity) (*journal, error) {
	for range maxCreateAttempts {
		unique, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		j := newJournal(unique.String(), c, capacity)
		err = errors.Join(j.rotateSegment(), j.sync())
		if errors.Is(err, errLocked) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && !isTemporaryDiskError(err) {
			return nil, errors.Join(err, j.unlock())
		}
		if j.writeFailing = err != nil; j.writeFailing {
			c.Log.Error("cannot write to the spool, records wait in memory", "error", err)
		}
		return j, nil
	}
	return nil, fmt.Errorf("create a directory in %s: gave up after %d attempts", c.Dir, maxCreateAttempts)
}

// isTemporaryDiskError recognizes errors that a disk may recover from. Any other
// error needs an operator before the proxy can start.
func isTemporaryDiskError(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EIO)
}

// lockOwnDir creates the directory and locks it.
func (j *journal) lockOwnDir() error {
	if j.lock != nil {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	lock, err := lockDir(j.dir)
	j.lock = lock
	return err
}

func (j *journal) unlock() error {
	if j.lock == nil {
		return nil
	}
	return j.lock.Close()
}

// adoptDirs takes over the directories of dead processes and writes the records of
// their unfinished requests. If a directory cannot be adopted, adoptDirs logs this
// only once and leaves the directory in place. It still adopts the other directories.
func (r *recovery) adoptDirs() []*journal {
	c := r.config
	entries, err := os.ReadDir(c.Dir)
	if err != nil && !r.loggedDirs[c.Dir] {
		r.loggedDirs[c.Dir] = true
		c.Log.Error("cannot list spool directories to adopt", "error", err)
	}
	var adopted []*journal
	for _, e := range entries {
		if uuid.Validate(e.Name()) != nil || !e.IsDir() {
			continue
		}
		j, err := r.adoptDir(e.Name())
		if errors.Is(err, errLocked) || errors.Is(err, fs.ErrNotExist) || err != nil && r.loggedDirs[e.Name()] {
			continue // locked by a living process, just removed, or already logged
		}
		if err != nil {
			r.loggedDirs[e.Name()] = true
			c.Log.Error("cannot adopt spool directory", "producer", e.Name(), "error", err)
			continue
		}
		adopted = append(adopted, j)
		j.capacity.used.Add(j.totalBytes())
	}
	r.endAbortedRequests()
	return adopted
}

func (r *recovery) adoptDir(producer string) (*journal, error) {
	j := newJournal(producer, r.config, r.own.capacity)
	lock, err := lockDir(j.dir)
	if err != nil {
		return nil, err
	}
	j.lock = lock
	if err := r.restoreJournal(j); err != nil {
		return nil, errors.Join(err, j.unlock())
	}
	return j, nil
}
