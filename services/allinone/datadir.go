package allinone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile is the file that a running process locks. It also marks a directory as a data directory.
const lockFile = "lock"

// lockDataDir creates the data directory and locks it. Without the lock, a second
// process would treat the spool of the first process as abandoned, and would record
// running requests as aborted.
func (p *gateway) lockDataDir(context.Context) error {
	dir := p.cfg.Data
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot use the data directory %s: %w", dir, withoutPath(err))
	}
	f, err := openLock(dir)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, f.Close)
	return nil
}

// openLock locks a data directory until the file is closed.
func openLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot use the data directory %s: %w", dir, withoutPath(err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("the data directory %s is in use by another signalbox: stop it, or use --data to choose another directory", dir)
	}
	return f, nil
}

// withoutPath returns the cause of a file error without the path. It is for messages that already contain the path.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
