package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// forEachDeployment runs a test against the all-in-one and against the split
// deployment, because users must see the same behaviour in both.
func forEachDeployment(t *testing.T, test func(t *testing.T, start func(*testing.T, ...string) *Gateway)) {
	t.Run("all in one", func(t *testing.T) { test(t, Start) })
	t.Run("split", func(t *testing.T) { test(t, StartSplit) })
}

// sharedSplit is the split deployment that tests without their own flags share,
// because starting one takes seconds.
var sharedSplit struct {
	sync.Mutex
	box *Gateway
}

// StartSplit starts the split deployment with the flags of cmd/split. Without
// flags it returns the shared deployment.
func StartSplit(t *testing.T, flags ...string) *Gateway {
	t.Helper()
	if len(flags) > 0 {
		b := startSplit(t, flags...)
		t.Cleanup(b.stopSplit)
		return b
	}
	sharedSplit.Lock()
	defer sharedSplit.Unlock()
	if sharedSplit.box == nil {
		// The long timeout keeps a slow machine from looking like an unavailable Redis.
		sharedSplit.box = startSplit(t)
	}
	s := sharedSplit.box
	return &Gateway{t: t, cmd: s.cmd, exited: s.exited, Base: s.Base, Dashboard: s.Dashboard, Key: s.Key, Proxies: s.Proxies, PIDs: s.PIDs}
}

// stopSharedSplit stops the shared deployment and reports whether it exited
// cleanly and without data races.
func stopSharedSplit() bool {
	if sharedSplit.box == nil {
		return true
	}
	_ = sharedSplit.box.cmd.Process.Signal(syscall.SIGTERM)
	<-sharedSplit.box.exited
	ok := sharedSplit.box.err == nil && !strings.Contains(sharedSplit.box.Output(), "DATA RACE")
	if !ok {
		fmt.Fprintf(os.Stderr, "the shared split deployment failed: %v\n%s", sharedSplit.box.err, sharedSplit.box.Output())
	}
	return ok
}

func (b *Gateway) stopSplit() {
	b.Terminate()
	require.Equal(b.t, 0, b.Wait())
	b.checkOutput()
}

func startSplit(t *testing.T, flags ...string) *Gateway {
	t.Helper()
	b := &Gateway{t: t, exited: make(chan struct{})}
	// Most tests expect decisions of the router and exact limits. The long timeouts keep slow
	// responses to these binaries, which run with the race detector, from looking like an
	// unavailable router or Redis. Only tests that replace a proxy under load need a drain delay.
	b.cmd = exec.Command(binDir+"/split", append([]string{
		"--bin", binDir, "--until-eof", "--drain-delay", "0s", "--set", "SIGNALBOX_DECIDE_TIMEOUT=10s", "--set", "SIGNALBOX_LIMITS_TIMEOUT=1s",
	}, flags...)...)
	b.cmd.Env = cleanEnvironment()
	pipe, err := b.cmd.StdoutPipe()
	require.NoError(t, err)
	b.cmd.Stderr = b
	// Nothing writes to this pipe. It closes when this process exits, even after a
	// crash, and then --until-eof stops the deployment.
	_, err = b.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, b.cmd.Start())
	greeted := make(chan struct{})
	go func() {
		var where struct {
			BaseURL      string `json:"base_url"`
			DashboardURL string `json:"dashboard_url"`
			Key          string `json:"key"`
			Emulated     string `json:"emulated"`
			Proxies      []string
			PIDs         map[string]int
		}
		if json.NewDecoder(bufio.NewReader(pipe)).Decode(&where) == nil {
			b.Base, b.Dashboard, b.Key = where.BaseURL, where.DashboardURL, where.Key
			b.Proxies, b.PIDs, b.Emulated = where.Proxies, where.PIDs, where.Emulated
			close(greeted)
		}
		b.err = b.cmd.Wait()
		close(b.exited)
	}()
	// If the start fails, stop the processes that did start.
	cancelStop := context.AfterFunc(t.Context(), func() { _ = b.cmd.Process.Signal(syscall.SIGTERM) })
	b.awaitReady(greeted)
	cancelStop()
	return b
}
