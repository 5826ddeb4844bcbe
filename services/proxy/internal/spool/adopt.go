package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/google/uuid"
)

// createTries bounds how often another process may take our new directory for
// a dead one before we hold its lock.
const createTries = 10

// create makes a producer's directory with its first segment. On a disk that is
// full or read-only it is made as soon as that changes.
func create(c Config, room *room) (*journal, error) {
	for range createTries {
		unique, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		j := newJournal(unique.String(), c, room)
		err = errors.Join(j.rotate(), j.sync())
		if errors.Is(err, errHeld) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && !refused(err) {
			return nil, errors.Join(err, j.unlock())
		}
		if j.failing = err != nil; j.failing {
			c.Log.Error("spool cannot be written; records wait in memory until it can", "error", err)
		}
		return j, nil
	}
	return nil, fmt.Errorf("no directory of its own in %s after %d tries", c.Dir, createTries)
}

// refused recognises a disk that may take at another time what it did not take
// now. Anything else is for somebody to mend before we start.
func refused(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EIO)
}

// occupy makes the directory and takes its lock.
func (j *journal) occupy() error {
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

// adoptAll takes over the directories whose process is dead, and writes the
// records of the requests that were cut off. A directory that makes trouble is
// left as it is: it must keep neither the others nor us. It is told of once.
func (r *recovery) adoptAll() []*journal {
	c := r.config
	entries, err := os.ReadDir(c.Dir)
	if err != nil && !r.seen[c.Dir] {
		r.seen[c.Dir] = true
		c.Log.Error("spool not searched for unfinished records", "error", err)
	}
	var adopted []*journal
	for _, e := range entries {
		if uuid.Validate(e.Name()) != nil || !e.IsDir() {
			continue
		}
		j, err := r.adopt(e.Name())
		if errors.Is(err, errHeld) || errors.Is(err, fs.ErrNotExist) || err != nil && r.seen[e.Name()] {
			continue // somebody's, or just removed by somebody
		}
		if err != nil {
			r.seen[e.Name()] = true
			c.Log.Error("spool directory not adopted", "producer", e.Name(), "error", err)
			continue
		}
		adopted = append(adopted, j)
		j.room.used.Add(j.bytes())
	}
	r.abort()
	return adopted
}

func (r *recovery) adopt(producer string) (*journal, error) {
	j := newJournal(producer, r.config, r.own.room)
	lock, err := lockDir(j.dir)
	if err != nil {
		return nil, err
	}
	j.lock = lock
	if err := r.restore(j); err != nil {
		return nil, errors.Join(err, j.unlock())
	}
	return j, nil
}
