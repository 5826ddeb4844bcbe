//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const lockName = "lock"

// errHeld means that a living process has the directory.
var errHeld = errors.New("held by another process")

// lockDir takes the directory for this process until the file is closed. It
// never waits. The check at the end catches another process that removed the
// directory between our open and our lock: a lock on a removed file guards
// nothing.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, err
	}
	if !isAt(f, path) {
		f.Close()
		return nil, errHeld
	}
	return f, nil
}

func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}
