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

// dirLock is a directory that is ours as long as this process lives.
type dirLock struct {
	path      string
	dir, file *os.File
}

// lockDir takes the directory for this process until Close. It never waits. The
// lock is on the directory itself, which nobody deletes by mistake; that on a
// file in it is what earlier builds take and look for.
func lockDir(path string) (*dirLock, error) {
	dir, err := flocked(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	file, err := flocked(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &dirLock{path, dir, file}, nil
}

// Close gives the directory up.
func (l *dirLock) Close() error { return errors.Join(l.file.Close(), l.dir.Close()) }

// gone reports whether the directory was removed: then the lock guards nothing.
func (l *dirLock) gone() bool { return !isAt(l.dir, l.path) }

// flocked opens a file and locks it. The check at the end catches another
// process that removed it between the two: a lock on a removed file guards
// nothing.
func flocked(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || err == nil && !isAt(f, path) {
		err = errHeld
	}
	if err != nil {
		f.Close()
		return nil, err
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
