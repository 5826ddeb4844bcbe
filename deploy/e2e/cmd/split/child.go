package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// restartDelay is the time between the exit of a service and its restart.
	restartDelay = 200 * time.Millisecond
	// stopTimeout limits how long a service may drain.
	stopTimeout = 30 * time.Second
)

// child is the process of a service. It is restarted whenever it exits.
type child struct {
	name string
	path string
	env  []string
	stop context.CancelFunc
	done chan struct{}

	pid atomic.Int64
}

func newChild(bin, name, binary string, env []string) *child {
	return &child{
		name: name, path: filepath.Join(bin, binary), done: make(chan struct{}),
		env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), raceEnv()}, env...),
	}
}

// run keeps the process running until stop is called, then lets it drain.
func (c *child) run() {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	go func() {
		defer close(c.done)
		// Pdeathsig fires when the thread that started the child exits, so this
		// goroutine keeps its thread.
		runtime.LockOSThread()
		for ctx.Err() == nil {
			c.runOnce(ctx)
			select {
			case <-time.After(restartDelay):
			case <-ctx.Done():
			}
		}
	}()
}

func (c *child) runOnce(ctx context.Context) {
	cmd := exec.CommandContext(ctx, c.path)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, os.Stderr, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	// The services exit when the supervisor is killed, and the terminal's Ctrl-C
	// reaches only the supervisor.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if cmd.Start() != nil {
		return
	}
	c.pid.Store(int64(cmd.Process.Pid))
	_ = cmd.Wait()
}

func (c *child) stopAndWait() {
	c.stop()
	<-c.done
}

// raceEnv returns the options of the race detector, which only binaries with -race read.
func raceEnv() string { return "GORACE=" + os.Getenv("GORACE") }

// upstreamSecretEnv returns the secret variables that test policies refer to.
func upstreamSecretEnv() []string {
	if v, ok := os.LookupEnv("UPSTREAM_SECRET"); ok {
		return []string{"UPSTREAM_SECRET=" + v}
	}
	return nil
}
