package rig

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"time"
)

// StartSilent starts a program that prints nothing and waits until it listens at an address.
func StartSilent(ctx context.Context, cmd *exec.Cmd, address string) (*Child, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Child{cmd: cmd, Address: address, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait()
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.Address); err == nil {
			return c, conn.Close()
		}
		select {
		case <-again.C:
		case <-c.ended:
			return nil, fmt.Errorf("%s exited during startup", c.cmd.Path)
		case <-ctx.Done():
			c.Stop()
			return nil, fmt.Errorf("%s did not start: %w", c.cmd.Path, ctx.Err())
		}
	}
}
