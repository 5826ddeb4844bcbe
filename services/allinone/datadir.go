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

// applyDerivedDefaults sets the defaults that depend on other settings.
func (c *Config) applyDerivedDefaults() error {
	abs, err := filepath.Abs(c.Data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	c.Data = abs
	c.Proxy.Data, c.Router.Data, c.Keyauth.Data, c.Dashboard.Data = abs, abs, abs, abs
	if c.Keyauth.Registration == "" {
		c.Keyauth.Registration = "invite"
		// Registration is open only if all requests come from this machine. A trusted
		// proxy may forward requests from other machines.
		if c.isLoopbackOnly() && c.Dashboard.TrustedProxies == "" {
			c.Keyauth.Registration = "open"
		}
	}
	return nil
}

// lockFile is the file that a running process locks. It also marks a directory as a data directory.
const lockFile = "lock"

// lockDataDir creates the data directory and locks it. Without the lock, a second
// process would treat the spool of the first process as abandoned and recover it.
func (p *gateway) lockDataDir(context.Context) error {
	dir := p.cfg.Data
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot use the data directory %s: %w", dir, withoutPath(err))
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot use the data directory %s: %w", dir, withoutPath(err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return fmt.Errorf("the data directory %s is in use by another signalbox: stop it, or use --data to choose another directory", dir)
	}
	p.closers = append(p.closers, f.Close)
	return nil
}

// withoutPath returns only the cause of a file error. Use it for messages that already contain the path.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
