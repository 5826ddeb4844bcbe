package main

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

// Roles in which the bench starts itself as a separate process, so that the CPU
// time of each role can be measured.
const (
	roleUpstream = "upstream"
	roleForward  = "reverse-proxy"
	roleSpin     = "spin"
)

const (
	// startTimeout limits how long a process may take to print its address.
	startTimeout = 30 * time.Second
	// stopTimeout limits how long a process may take to exit.
	stopTimeout = 20 * time.Second
)

// child is a process started by the bench.
type child struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	address string
	ended   chan struct{}
}

// startSelf starts this program in a role. The role exits when its standard input
// closes, so no role outlives the bench. prefix is an optional wrapper command.
func startSelf(ctx context.Context, prefix []string, args ...string) (*child, error) {
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
	c := &child{cmd: cmd, stdin: stdin}
	err = c.start(ctx, func(line string) bool {
		c.address = line
		return true
	})
	return c, err
}

// start starts the process and reads its output until greeted accepts a line. It
// discards the rest.
func (c *child) start(ctx context.Context, greeted func(line string) bool) error {
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
		c.stop()
		return fmt.Errorf("%s did not start: %w", c.cmd.Path, ctx.Err())
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// stop sends SIGTERM, and SIGKILL after stopTimeout.
func (c *child) stop() {
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

// serveRole runs a role that startSelf started.
func serveRole(ctx context.Context, serve func(context.Context, net.Listener) error) error {
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
