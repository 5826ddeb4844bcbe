// Package processtest runs a binary's service within a test and waits for its readiness status. Only
// tests of the binaries use it.
package processtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/process"
)

// patience limits every wait. It is longer than a database or another service needs to start.
const patience = 30 * time.Second

// Process is a running process. It stops when its test ends, and must stop without an error.
type Process struct {
	t     testing.TB
	ready *health.Readiness
}

// Start runs serve in the same way as process.Run.
func Start(t testing.TB, c process.Config, serve func(ctx context.Context, e process.Env) error) *Process {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan *health.Readiness, 1), make(chan error, 1)
	go func() {
		ended <- process.Run(ctx, c, func(ctx context.Context, e process.Env) error {
			ready <- e.Ready
			return serve(ctx, e)
		})
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	select {
	case r := <-ready:
		return &Process{t: t, ready: r}
	case <-time.After(patience):
		require.Fail(t, "the process did not start")
		return nil
	}
}

// WaitForStatus waits until the process reports the status want, and the failed checks are those in
// names. The required checks come first in names.
func (p *Process) WaitForStatus(want health.Status, names ...string) {
	p.t.Helper()
	var last health.Report
	matches := func() bool {
		last = p.ready.Report()
		failed := append(last.FailedRequired, last.FailedOptional...)
		return last.Status == want && slices.Equal(failed, names)
	}
	require.Eventually(p.t, matches, patience, 5*time.Millisecond, "want %s %v, last %+v", want, names, &last)
}
