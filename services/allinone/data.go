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

// complete fills in what depends on other settings.
func (c *Config) complete() error {
	abs, err := filepath.Abs(c.Data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	c.Data = abs
	c.Proxy.Data, c.Router.Data, c.Keyauth.Data, c.Dashboard.Data = abs, abs, abs, abs
	if c.Keyauth.Registration == "" {
		c.Keyauth.Registration = "invite"
		// A balancer in front comes for others than this machine.
		if c.private() && c.Dashboard.TrustedProxies == "" {
			c.Keyauth.Registration = "open"
		}
	}
	return nil
}

// lockName is the file that a running process holds.
const lockName = "lock"

// claimData makes the data directory and keeps other processes out of it:
// two of them would take each other's spool for that of a dead one.
func (p *whole) claimData(context.Context) error {
	dir := p.cfg.Data
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot use the data directory %s: %w", dir, bare(err))
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot use the data directory %s: %w", dir, bare(err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return fmt.Errorf("the data directory %s is in use by another signalbox", dir)
	}
	p.closers = append(p.closers, f.Close)
	return nil
}

// bare is an error without what the message around it says already.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
