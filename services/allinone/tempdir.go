package allinone

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// createLockedTempDir creates and locks a temporary directory in dir. Its name starts
// with prefix. First it removes other directories with this prefix that killed
// processes left behind. done removes the new directory, if it still exists, and
// releases the lock.
func createLockedTempDir(dir, prefix string) (path string, done func() error, err error) {
	removeAbandonedDirs(dir, prefix)
	if path, err = os.MkdirTemp(dir, prefix); err != nil {
		return "", nil, err
	}
	held, err := lockDir(path)
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(path))
	}
	return path, func() error { return errors.Join(os.RemoveAll(path), held.Close()) }, nil
}

// removeAbandonedDirs removes the directories that no process has locked. It ignores
// errors, because the next call tries again.
func removeAbandonedDirs(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if held, err := lockDir(path); err == nil {
			_ = os.RemoveAll(path)
			_ = held.Close()
		}
	}
}

// lockDir locks a directory until the returned file is closed. It fails if another process holds the lock.
func lockDir(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
