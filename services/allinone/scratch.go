package allinone

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// scratch makes a directory whose name begins so, and removes those of such a
// name that processes which were killed have left behind. It is locked until
// done, which removes it if it is still there.
func scratch(dir, prefix string) (path string, done func() error, err error) {
	sweep(dir, prefix)
	if path, err = os.MkdirTemp(dir, prefix); err != nil {
		return "", nil, err
	}
	held, err := hold(path)
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(path))
	}
	return path, func() error { return errors.Join(os.RemoveAll(path), held.Close()) }, nil
}

// sweep removes what nobody holds. What it cannot remove stays until the next
// time: it is in nobody's way.
func sweep(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if held, err := hold(path); err == nil {
			_ = os.RemoveAll(path)
			_ = held.Close()
		}
	}
}

// hold locks a directory for as long as this process has it open.
func hold(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
