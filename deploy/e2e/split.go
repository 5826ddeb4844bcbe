package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// forEachDeployment runs a test against the all-in-one and against the split
// deployment, because users must see the same behaviour in both. Without flags, start
// returns a deployment that other tests use at the same time.
func forEachDeployment(t *testing.T, test func(t *testing.T, start func(*testing.T, ...string) *Gateway)) {
	t.Parallel()
	deployments := map[string]func(*testing.T, ...string) *Gateway{"all in one": StartAllInOne, "split": StartSplit}
	if *composeFlag != "" {
		delete(deployments, "all in one")
	}
	for name, start := range deployments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start)
		})
	}
}

// StartAllInOne starts the all-in-one with flags. Without flags it returns the shared one.
func StartAllInOne(t *testing.T, flags ...string) *Gateway {
	t.Helper()
	if len(flags) == 0 {
		return sharedAllInOne.get(t)
	}
	return Start(t, flags...)
}

// StartSplit starts the split deployment with the flags of cmd/split. Without
// flags it returns the shared deployment.
func StartSplit(t *testing.T, flags ...string) *Gateway {
	t.Helper()
	if len(flags) == 0 {
		return sharedSplit.get(t)
	}
	return startOwnSplit(t, binDir, flags...)
}

// startOwnSplit starts the split deployment for one test, with the binaries of a directory.
func startOwnSplit(t *testing.T, dir string, flags ...string) *Gateway {
	t.Helper()
	if *composeFlag != "" {
		t.Skip("the containers run with other settings")
	}
	b := startSplitOf(t, dir, nil, flags...)
	t.Cleanup(b.stopSplit)
	return b
}

func (b *Gateway) stopSplit() {
	b.Terminate()
	require.Equal(b.t, 0, b.Wait())
	b.checkOutput()
}

// startSplit starts the split deployment with additional environment variables. The
// caller stops it.
func startSplit(t *testing.T, env []string, flags ...string) *Gateway {
	t.Helper()
	return startSplitOf(t, binDir, env, flags...)
}

// startSplitOf is startSplit with the binaries of another directory.
func startSplitOf(t *testing.T, dir string, env []string, flags ...string) *Gateway {
	t.Helper()
	b := newGateway(t)
	// Most tests expect decisions of the router. The long timeout keeps slow responses on a busy
	// machine from looking like an unavailable router. Only tests that replace a proxy under load
	// need a drain delay.
	b.cmd = exec.Command(filepath.Join(dir, "split"), append([]string{
		"--bin", dir, "--until-eof", "--drain-delay", "0s", "--set", "SIGNALBOX_DECIDE_TIMEOUT=10s",
	}, flags...)...)
	b.cmd.Env = append(cleanEnvironment(), env...)
	pipe, err := b.cmd.StdoutPipe()
	require.NoError(t, err)
	b.cmd.Stderr = b.output
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
			Admin        map[string]string
		}
		if json.NewDecoder(bufio.NewReader(pipe)).Decode(&where) == nil {
			b.Base, b.Dashboard, b.Key = where.BaseURL, where.DashboardURL, where.Key
			b.Proxies, b.PIDs, b.Emulated, b.Admin = where.Proxies, where.PIDs, where.Emulated, where.Admin
			close(greeted)
		}
		b.err = b.cmd.Wait()
		close(b.exited)
	}()
	// If the start fails, stop the processes that did start.
	cancelStop := context.AfterFunc(t.Context(), func() { _ = b.cmd.Process.Signal(syscall.SIGTERM) })
	b.awaitReady(greeted)
	b.AwaitKey(b.Key)
	cancelStop()
	return b
}
