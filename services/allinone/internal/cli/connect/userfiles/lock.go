package userfiles

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("another signalbox connect or disconnect is running")

// Lock locks a folder until release is called. The end of the process releases the lock too.
// It needs no file of its own.
func Lock(folder string) (release func(), err error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = dir.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return func() { _ = dir.Close() }, nil
}
