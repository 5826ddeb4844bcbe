package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// createTries bounds how often another process may take our new directory for
// a dead one before we hold its lock.
const createTries = 10

// create makes a producer's directory with its first segment.
func create(root string, rotateAt int64) (*journal, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	for range createTries {
		unique, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		producer := unique.String()
		dir := filepath.Join(root, producer)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		lock, err := lockDir(dir)
		if errors.Is(err, errHeld) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		j := newJournal(dir, producer, rotateAt, lock)
		if err := errors.Join(j.rotate(), j.sync(), syncDir(root)); err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		return j, nil
	}
	return nil, fmt.Errorf("no directory of its own in %s after %d tries", root, createTries)
}

// adopt takes over the directories whose process is dead, and writes into own
// the records of the requests that were cut off. A directory that makes trouble
// is left as it is: it must keep neither the others nor us.
func adopt(c Config, own *journal) []*journal {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		c.Log.Error("spool not searched for unfinished records", "error", err)
		return nil
	}
	r := newRecovery(c)
	var adopted []*journal
	for _, e := range entries {
		if uuid.Validate(e.Name()) != nil || !e.IsDir() {
			continue
		}
		j, err := r.adopt(e.Name())
		if errors.Is(err, errHeld) || errors.Is(err, fs.ErrNotExist) {
			continue // somebody's, or just removed by somebody
		}
		if err != nil {
			c.Log.Error("spool directory not adopted", "producer", e.Name(), "error", err)
			continue
		}
		adopted = append(adopted, j)
	}
	r.abort(own)
	return adopted
}

func (r *recovery) adopt(producer string) (*journal, error) {
	dir := filepath.Join(r.config.Dir, producer)
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	j := newJournal(dir, producer, r.config.SegmentBytes, lock)
	if err := r.restore(j); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return j, nil
}
