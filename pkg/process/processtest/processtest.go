// Package processtest runs what a binary runs within a test, and looks at its
// readiness as a balancer would. It is for the tests of the binaries alone.
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

// patience is for what a real store or peer needs.
const patience = 30 * time.Second

// Process is one that runs until its test ends, and must end well.
type Process struct {
	t     testing.TB
	ready *health.Readiness
}

// Start runs serve as process.Run does.
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
		require.Fail(t, "it did not start")
		return nil
	}
}

// Becomes waits until the process reports the status for lack of the names.
func (p *Process) Becomes(want health.Status, names ...string) {
	p.t.Helper()
	var last health.Report
	is := func() bool {
		last = p.ready.Report()
		lacks := append(last.Missing, last.Degraded...)
		return last.Status == want && slices.Equal(lacks, names)
	}
	require.Eventually(p.t, is, patience, 5*time.Millisecond, "want %s %v, last %+v", want, names, &last)
}
