package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

// quieten gives all processes of the bench precedence over everything else on
// the machine, and keeps its cores awake: at a low rate the figures would tell
// of the scheduler. Where that is not allowed, the report says so. The returned
// function takes it back.
func (b *bench) quieten(ctx context.Context) func() {
	if b.unquiet != nil {
		return func() {}
	}
	spinner, err := startSelf(ctx, []string{"chrt", "--idle", "0"}, roleSpin)
	if err == nil {
		err = schedule(ctx, spinner.pid(), "--rr", "1")
	}
	if err != nil {
		b.unquiet = err
	}
	return func() {
		if spinner != nil && spinner.ended != nil {
			spinner.stop()
		}
		if err := schedule(context.WithoutCancel(ctx), 0, "--other", "0"); err != nil && b.unquiet == nil {
			b.unquiet = err
		}
	}
}

// schedule sets the class of this process and all its descendants but one.
func schedule(ctx context.Context, except int, class, priority string) error {
	all, err := listProcesses()
	if err != nil {
		return err
	}
	for _, pid := range all.family(os.Getpid()) {
		if pid == except {
			continue
		}
		out, err := exec.CommandContext(ctx, "chrt", "--all-tasks", class, "--pid", priority, strconv.Itoa(pid)).CombinedOutput()
		if _, gone := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil && gone == nil {
			return fmt.Errorf("chrt: %w: %s", err, out)
		}
	}
	return nil
}

// spin keeps every core busy for whoever starts it at the lowest priority.
func spin(ctx context.Context, _ net.Listener) error {
	for range runtime.NumCPU() {
		go func() {
			for end := time.Now().Add(runLimit); ctx.Err() == nil && time.Now().Before(end); {
			}
		}()
	}
	<-ctx.Done()
	return nil
}
