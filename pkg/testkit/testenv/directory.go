package testenv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// prefix starts the name of every directory that this package creates. The cleanup ignores all others.
const prefix = "signalbox-testenv-"

// attempts is how often to try a step that may lose a race. Another program may take a port, and the
// cleanup of another process may remove a new directory.
const attempts = 5

// sweepOnce removes the directories of crashed processes before the first server starts.
var sweepOnce = sync.OnceFunc(removeStaleDirectories)

// directory is the working directory of one server. The owner, the test process, holds a lock on it. The
// system releases the lock when the process dies. So a directory that can be locked has no owner.
type directory struct {
	path string
	lock *os.File
}

func newDirectory() (*directory, error) {
	sweepOnce()
	for range attempts {
		d, err := makeDirectory()
		if !errors.Is(err, fs.ErrNotExist) {
			return d, err
		}
	}
	return nil, errors.New("another process removed every new directory")
}

// makeDirectory returns fs.ErrNotExist if the cleanup of another process removed the directory before it
// was locked.
func makeDirectory() (*directory, error) {
	path, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	// The server may run as another user and must be able to enter the directory.
	if err := os.Chmod(path, 0o711); err != nil {
		return nil, err
	}
	lock, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(flock(lock, syscall.LOCK_EX), checkSameFile(path, lock)); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return &directory{path: path, lock: lock}, nil
}

func (d *directory) removeAll() {
	_ = os.RemoveAll(d.path)
	_ = d.lock.Close()
}

func (d *directory) logTail() string {
	text, _ := os.ReadFile(d.logPath())
	return string(text[max(0, len(text)-2000):])
}

func (d *directory) logPath() string { return filepath.Join(d.path, "log") }

func checkSameFile(path string, lock *os.File) error {
	held, err := lock.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(held, now) {
		return fmt.Errorf("%s was replaced: %w", path, fs.ErrNotExist)
	}
	return nil
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
