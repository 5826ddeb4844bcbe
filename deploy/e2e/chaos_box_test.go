package e2e

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/book"
	"github.com/signalbox/signalbox/deploy/e2e/load"
)

const (
	// kills is how often a round kills the all-in-one.
	kills = 2
	// inMemory is how long records find room in memory while neither spool nor
	// store can take them. After it requests are refused, so that none is lost.
	inMemory = 5 * time.Second
)

// One process with everything in it has all the troubles of one process.
func TestChaosAllInOne(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	disk := newDisk(t, "256m", data)
	r := newRig(t, func(t *testing.T, flags ...string) *Box { return start(t, data, flags...) })
	t.Run("kill -9", func(t *testing.T) {
		r.of(t)
		r.repeat("kill -9 of the all-in-one", *rounds, r.killAll)
	})
	t.Run("disk full", func(t *testing.T) {
		r.of(t)
		r.repeat("the all-in-one's disk is full", 1, func(*episode) {
			free := disk.fill(r.box.cmd.Process.Pid)
			<-time.After(min(*outage, inMemory))
			free()
		})
	})
	t.Run("clients leave", func(t *testing.T) {
		r.of(t)
		r.clientsLeave("clients leave the all-in-one")
	})
}

// killAll kills the process at any moment, and starts it again.
func (r *rig) killAll(e *episode) {
	for range kills {
		e.moment()
		from := time.Now()
		r.box.Kill()
		r.moved(r.box.Again(r.flags...))
		e.books.Down = append(e.books.Down, book.Window{From: from, To: time.Now()})
		e.after(*rate / 4)
	}
}

// repeat lets something happen under load several times, and shows what became
// of the requests.
func (r *rig) repeat(name string, times int, happens func(e *episode)) {
	r.t.Helper()
	var all figures
	for range times {
		all.add(r.under(happens))
	}
	all.show(r.t, name, r.memory.taken(r.t))
}

// clientsLeave has clients leave at every event of a stream, and before the
// first: there is one record of each, and it costs what was produced until
// then.
func (r *rig) clientsLeave(name string) {
	r.t.Helper()
	e := r.begin()
	e.books.Requests = e.load.Stop()
	const events = 20
	first := len(e.books.Requests)
	for n := range events {
		for k, reports := range []bool{true, false} {
			errand := load.Held(load.Mark(r.seed, 2*n+k), n+1, reports)
			e.books.Requests = append(e.books.Requests, r.do(r.t.Context(), errand))
		}
	}
	for k, stream := range []bool{true, false} {
		e.books.Requests = append(e.books.Requests, r.leaves(load.Unanswered(load.Mark(r.seed+1, k), stream)))
	}
	f := e.finish()
	f.show(r.t, name, r.memory.taken(r.t))
	e.produced(e.books.Requests[first : first+2*events])
}

// do makes a request of the rig's own.
func (r *rig) do(ctx context.Context, e load.Errand) book.Request {
	e.Base, e.Key = *r.base.Load(), r.keys[0]
	return load.NewClient().Do(ctx, e)
}

// leaves makes a request that nobody answers, and goes.
func (r *rig) leaves(e load.Errand) book.Request {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	line := make(chan book.Request, 1)
	go func() { line <- r.do(ctx, e) }()
	require.Eventually(r.t, func() bool { return r.provider.Sees(e.Line.Mark) }, patience, pollEvery)
	cancel()
	return <-line
}

// produced holds the tokens of streams that were left against what the client
// had read by then.
func (e *episode) produced(left []book.Request) {
	e.t.Helper()
	rows := map[string]book.Row{}
	for _, row := range e.books.Rows {
		rows[row.ID] = row
	}
	for i, r := range left {
		// The first event may tell the role alone.
		row, least := rows[r.ID], int64(i/2)
		if i%2 == 1 {
			require.True(e.t, row.Estimated)
			least = least * int64(len(load.Text)) / bytesPerToken
		}
		require.GreaterOrEqual(e.t, row.Tokens.Output, least, "%s: event %d", r.ID, i/2+1)
	}
}

// bytesPerToken is above what any estimate takes for a token.
const bytesPerToken = 8
