package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// A slowed process runs for one sixth of the time.
const (
	slowStops = 100 * time.Millisecond
	slowRuns  = 20 * time.Millisecond
)

// pid returns the current process of a part of the split deployment; 0 while it has
// none.
func (b *Gateway) pid(name string) int {
	for _, pid := range children(b.cmd.Process.Pid) {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		switch got := strings.TrimSpace(string(command)); {
		case filepath.Base(readProcessEnv(pid, "SIGNALBOX_DATA")) == name:
			return pid
		case name == "redis" && got == "redis-server", name == "postgres" && got == "postgres":
			return pid
		}
	}
	return 0
}

// running returns the process of a part, which must be running.
func (b *Gateway) running(name string) int {
	b.t.Helper()
	pid := b.pid(name)
	require.NotZero(b.t, pid, "%s is not running", name)
	return pid
}

// readProcessEnv returns an environment variable of a process, or nothing if the process has exited.
func readProcessEnv(pid int, name string) string {
	value, _ := procfs.ReadEnv(pid, name)
	return value
}

// children returns the child processes of a process.
func children(parent int) []int {
	all, _ := procfs.List()
	return all.Children(parent)
}

// freeze stops a process and its children with SIGSTOP.
func freeze(pid int) (thaw func()) {
	family := []int{pid}
	_ = syscall.Kill(pid, syscall.SIGSTOP) // first, so that it starts no more children
	for _, child := range children(pid) {
		_ = syscall.Kill(child, syscall.SIGSTOP)
		family = append(family, child)
	}
	return sync.OnceFunc(func() {
		for _, pid := range family {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
}

// fault starts a fault of a part and returns the function that ends it.
type fault func(t *testing.T, b *Gateway, name string) (end func())

func hangPart(t *testing.T, b *Gateway, name string) (end func()) {
	thaw := freeze(b.running(name))
	t.Cleanup(thaw)
	return thaw
}

func slowPart(t *testing.T, b *Gateway, name string) (end func()) {
	pid, stop := b.running(name), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			thaw := freeze(pid)
			wait(slowStops, stop)
			thaw()
			if wait(slowRuns, stop) {
				return
			}
		}
	})
	end = sync.OnceFunc(func() {
		close(stop)
		wg.Wait()
	})
	t.Cleanup(end)
	return end
}

func killPart(t *testing.T, b *Gateway, name string) (end func()) {
	t.Helper()
	b.kill(name)
	return func() {}
}

// kill kills a part and waits until it has been restarted.
func (b *Gateway) kill(name string) {
	b.t.Helper()
	old := b.running(name)
	require.NoError(b.t, syscall.Kill(old, syscall.SIGKILL))
	require.Eventually(b.t, func() bool { return b.pid(name) != old }, waitTimeout, pollInterval)
}

// wait waits for d and reports whether stop closed first.
func wait(d time.Duration, stop <-chan struct{}) bool {
	select {
	case <-time.After(d):
		return false
	case <-stop:
		return true
	}
}
