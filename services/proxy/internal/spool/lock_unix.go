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

// dirLock locks a directory until Close is called or the process ends.
type dirLock struct {
	path      string
	dir, file *os.File
}

// lockDir locks a directory without waiting. It locks the directory itself,
// because a lock file could be deleted by mistake. It also locks the file
// lockName in the directory, because earlier versions check only this file.
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

// isRemoved reports whether the directory was removed. The lock then has no effect.
func (l *dirLock) isRemoved() bool { return !isFileAt(l.dir, l.path) }

// openLocked opens a file and locks it. Another process may remove the file
// between the two steps, so openLocked also checks that path still names the file.
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
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(path)
	return err == nil && os.SameFile(opened, current)
}
