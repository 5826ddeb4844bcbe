//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const lockName = "lock"

// errLocked means that a living process has locked the directory.
var errLocked = errors.New("locked by another process")

// dirLock locks a directory until Close or the end of the process.
type dirLock struct {
	path      string
	dir, file *os.File
}

// lockDir locks a directory without waiting. The lock is on the directory itself,
// which is not deleted by mistake. The second lock, on a file in it, is the one
// that earlier versions use.
func lockDir(path string) (*dirLock, error) {
	dir, err := openLocked(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	file, err := openLocked(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &dirLock{path, dir, file}, nil
}

// Close unlocks the directory.
func (l *dirLock) Close() error { return errors.Join(l.file.Close(), l.dir.Close()) }

// isRemoved reports whether the directory was removed; then the lock has no effect.
func (l *dirLock) isRemoved() bool { return !isFileAt(l.dir, l.path) }

// openLocked opens a file and locks it. Another process may remove the file
// between the two steps, so it also checks that the path still names the file.
func openLocked(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || err == nil && !isFileAt(f, path) {
		err = errLocked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func isFileAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}
