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

// eachShape runs a test against the all-in-one and against the split shape: an
// account holder cannot tell them apart.
func eachShape(t *testing.T, test func(t *testing.T, start func(*testing.T, ...string) *Box)) {
	t.Run("all in one", func(t *testing.T) { test(t, Start) })
	t.Run("split", func(t *testing.T) { test(t, StartSplit) })
}

// shared is the split shape that tests without a policy of their own have in
// common: starting one takes seconds.
var shared struct {
	sync.Mutex
	box *Box
}

// StartSplit starts the split shape, with the flags of cmd/split; without
// flags it may be one that other tests have used.
func StartSplit(t *testing.T, flags ...string) *Box {
	t.Helper()
	if len(flags) > 0 {
		b := startSplit(t, flags...)
		t.Cleanup(b.stopSplit)
		return b
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.box == nil {
		shared.box = startSplit(t)
	}
	s := shared.box
	return &Box{t: t, cmd: s.cmd, ended: s.ended, Base: s.Base, Dashboard: s.Dashboard, Key: s.Key, Proxies: s.Proxies, PIDs: s.PIDs}
}

// stopShared stops what tests have shared, and reports whether all was well.
func stopShared() bool {
	if shared.box == nil {
		return true
	}
	_ = shared.box.cmd.Process.Signal(syscall.SIGTERM)
	<-shared.box.ended
	ok := shared.box.err == nil && !strings.Contains(shared.box.Output(), "DATA RACE")
	if !ok {
		fmt.Fprintf(os.Stderr, "the shared split shape ended badly: %v\n%s", shared.box.err, shared.box.Output())
	}
	return ok
}

func (b *Box) stopSplit() {
	b.Terminate()
	require.Equal(b.t, 0, b.Wait())
	b.review()
}

func startSplit(t *testing.T, flags ...string) *Box {
	t.Helper()
	b := &Box{t: t, ended: make(chan struct{})}
	b.cmd = exec.Command(folder+"/split", append([]string{"--bin", folder, "--until-eof"}, flags...)...)
	b.cmd.Env = environment()
	pipe, err := b.cmd.StdoutPipe()
	require.NoError(t, err)
	b.cmd.Stderr = b
	// Never written to: it ends with this process, however that ends.
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
		close(b.ended)
	}()
	// A start that fails must not leave processes behind.
	forget := context.AfterFunc(t.Context(), func() { _ = b.cmd.Process.Signal(syscall.SIGTERM) })
	b.await(greeted)
	forget()
	return b
}
