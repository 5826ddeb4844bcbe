package rig

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// RoleUpstream is the role of the model provider. See StartSelf.
const RoleUpstream = "upstream"

const (
	// startTimeout limits how long a process may take to print its address.
	startTimeout = 30 * time.Second
	// stopTimeout limits how long a process may take to exit.
	stopTimeout = 20 * time.Second
)

// Child is a process started by the bench.
type Child struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	Address string
	ended   chan struct{}
}

// StartSelf starts this program in a role: as a separate process, so that its CPU time can be
// measured. The role exits when its standard input closes, so no role outlives the bench. prefix
// is an optional wrapper command.
func StartSelf(ctx context.Context, prefix []string, args ...string) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line := append(append(prefix, self), args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	c := &Child{cmd: cmd, stdin: stdin}
	err = c.start(ctx, func(line string) bool {
		c.Address = line
		return true
	})
	return c, err
}

// start starts the process and reads its output until greeted accepts a line. It
// discards the rest.
func (c *Child) start(ctx context.Context, greeted func(line string) bool) error {
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.ended = make(chan struct{})
	ready := make(chan struct{})
	var said strings.Builder
	go func() {
		defer close(c.ended)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			said.WriteString(line)
			if err != nil {
				break
			}
			if greeted(strings.TrimRight(line, "\n")) {
				close(ready)
				_, _ = io.Copy(io.Discard, lines)
				break
			}
		}
		_ = c.cmd.Wait()
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-ready:
		return nil
	case <-c.ended:
		return fmt.Errorf("%s exited during startup:\n%s", c.cmd.Path, said.String())
	case <-ctx.Done():
		c.Stop()
		return fmt.Errorf("%s did not start: %w", c.cmd.Path, ctx.Err())
	}
}

// PID returns the id of the process.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Stop sends SIGTERM, and SIGKILL after stopTimeout. It does nothing if the process did not start.
func (c *Child) Stop() {
	if c.ended == nil {
		return
	}
	if c.stdin != nil {
		_ = c.stdin.Close()
	}
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.ended:
	case <-time.After(stopTimeout):
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
}

// ServeRole runs a role that StartSelf started.
func ServeRole(ctx context.Context, serve func(context.Context, net.Listener) error) error {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(lis.Addr())
	failed := make(chan error, 1)
	go func() { failed <- serve(ctx, lis) }()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case err := <-failed:
		return err
	case <-gone:
	case <-ctx.Done():
	}
	return nil
}
