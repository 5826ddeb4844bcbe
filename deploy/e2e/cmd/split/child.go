package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// again is how soon a service that died is started again.
	again = 200 * time.Millisecond
	// stopLimit is how long a service may take to drain.
	stopLimit = 30 * time.Second
)

// child is a service's process, started again whenever it dies.
type child struct {
	name string
	path string
	env  []string
	stop context.CancelFunc
	done chan struct{}

	mu  sync.Mutex
	pid int
}

func newChild(bin, name, binary string, env []string) *child {
	return &child{
		name: name, path: filepath.Join(bin, binary), done: make(chan struct{}),
		env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, env...),
	}
}

// run keeps the process going until ctx ends, and then lets it drain.
func (c *child) run() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	go func() {
		defer close(c.done)
		// The kernel takes the end of the thread that started a child for the
		// end of its parent.
		runtime.LockOSThread()
		for ctx.Err() == nil {
			c.once(ctx)
			select {
			case <-time.After(again):
			case <-ctx.Done():
			}
		}
	}()
}

func (c *child) once(ctx context.Context) {
	cmd := exec.CommandContext(ctx, c.path)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, os.Stderr, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	// The services must not outlive a supervisor that was killed, nor get the
	// terminal's Ctrl-C beside ours.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if cmd.Start() != nil {
		return
	}
	c.set(cmd.Process.Pid)
	_ = cmd.Wait()
}

func (c *child) set(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pid = pid
}

func (c *child) id() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pid
}

func (c *child) end() {
	c.stop()
	<-c.done
}

// upstreamSecrets are the variables that policies of tests refer to.
func upstreamSecrets() []string {
	if v, ok := os.LookupEnv("UPSTREAM_SECRET"); ok {
		return []string{"UPSTREAM_SECRET=" + v}
	}
	return nil
}
