package e2e

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

const (
	// kills is how often a round kills the all-in-one.
	kills = 2
	// inMemory is how long memory can buffer records while neither spool nor store
	// accepts them. After that, requests are rejected so that no record is lost.
	inMemory = 5 * time.Second
)

// TestChaosAllInOne injects the faults that can hit a single process.
func TestChaosAllInOne(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	disk := newDisk(t, "256m", data)
	r := newRig(t, func(t *testing.T, flags ...string) *Gateway { return start(t, data, flags...) })
	t.Run("kill -9", func(t *testing.T) {
		r.useTest(t)
		r.repeat("kill -9 of the all-in-one", *rounds, r.killAll)
	})
	t.Run("disk full", func(t *testing.T) {
		r.useTest(t)
		r.repeat("the all-in-one's disk is full", 1, func(*episode) {
			free := disk.fill(r.box.cmd.Process.Pid)
			<-time.After(min(*outage, inMemory))
			free()
		})
	})
	t.Run("clients leave", func(t *testing.T) {
		r.useTest(t)
		r.clientsLeave("clients leave the all-in-one")
	})
}

// killAll kills the process at random moments and restarts it.
func (r *rig) killAll(e *episode) {
	for range kills {
		e.waitRandom()
		from := time.Now()
		r.box.Kill()
		r.switchTo(r.box.Restart(r.flags...))
		e.books.Outages = append(e.books.Outages, reconcile.Outage{From: from, To: time.Now()})
		e.awaitSuccesses(*rate / 4)
	}
}

// repeat runs a fault under load several times and prints the results.
func (r *rig) repeat(name string, times int, happens func(e *episode)) {
	r.t.Helper()
	var all figures
	for range times {
		all.add(r.runUnderLoad(happens))
	}
	all.print(r.t, name, r.memory.takePeak(r.t))
}

// clientsLeave disconnects clients after every event of a stream and before the first
// one. Each request has one record that costs what was produced by then.
func (r *rig) clientsLeave(name string) {
	r.t.Helper()
	e := r.begin()
	e.books.Requests = e.load.Stop()
	const events = 20
	first := len(e.books.Requests)
	for n := range events {
		for k, reports := range []bool{true, false} {
			errand := load.EndlessStream(load.Mark(r.seed, 2*n+k), n+1, reports)
			e.books.Requests = append(e.books.Requests, r.do(r.t.Context(), errand))
		}
	}
	for k, stream := range []bool{true, false} {
		e.books.Requests = append(e.books.Requests, r.disconnectUnanswered(load.Unanswered(load.Mark(r.seed+1, k), stream)))
	}
	f := e.finish()
	f.print(r.t, name, r.memory.takePeak(r.t))
	e.requireProduced(e.books.Requests[first : first+2*events])
}

// do sends a request with the first key.
func (r *rig) do(ctx context.Context, e load.RequestSpec) reconcile.Request {
	e.Base, e.Key = *r.base.Load(), r.keys[0]
	return load.NewClient().Do(ctx, e)
}

// disconnectUnanswered sends a request that the provider never answers, and
// disconnects.
func (r *rig) disconnectUnanswered(e load.RequestSpec) reconcile.Request {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	line := make(chan reconcile.Request, 1)
	go func() { line <- r.do(ctx, e) }()
	require.Eventually(r.t, func() bool { return r.provider.HasReceived(e.Entry.Mark) }, waitTimeout, pollInterval)
	cancel()
	return <-line
}

// requireProduced checks that the recorded output covers what the clients had read
// when they left.
func (e *episode) requireProduced(left []reconcile.Request) {
	e.t.Helper()
	rows := map[string]reconcile.Row{}
	for _, row := range e.books.Rows {
		rows[row.ID] = row
	}
	for i, r := range left {
		// The first event may hold only the role.
		row, least := rows[r.ID], int64(i/2)
		if i%2 == 1 {
			require.True(e.t, row.Estimated)
			least = least * int64(len(load.Text)) / bytesPerToken
		}
		require.GreaterOrEqual(e.t, row.Tokens.Output, least, "%s: event %d", r.ID, i/2+1)
	}
}

// bytesPerToken is more than any estimate assumes.
const bytesPerToken = 8
