package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

// slowCall is how long a slow Redis takes for everything.
const slowCall = 500 * time.Millisecond

// shaken is the split shape with all that can happen to it.
type shaken struct {
	*rig
	redis, postgres *server
}

// trouble is something that happens under load, once or rounds times.
type trouble struct {
	name    string
	repeats bool
	happens func(s *shaken, e *episode)
}

var troubles = []trouble{
	{"nothing", false, func(_ *shaken, e *episode) { e.after(*rate) }},
	{"kill -9 of a proxy", true, func(s *shaken, e *episode) { s.killProxy(e) }},
	{"kill -9 of the dashboard", true, func(s *shaken, _ *episode) { s.box.kill("dashboard") }},
	{"kill -9 of Redis", true, func(s *shaken, _ *episode) { s.redis.kill() }},
	{"kill -9 of Postgres", true, func(s *shaken, _ *episode) { s.postgres.kill() }},
	{"kill -9 of keyauth and router", true, func(s *shaken, _ *episode) { s.box.kill("keyauth"); s.box.kill("router") }},
	{"Redis loses its files", true, func(s *shaken, _ *episode) { s.redis.loseFiles() }},
	{"FLUSHALL", true, func(s *shaken, _ *episode) { s.redis.command("FLUSHALL") }},
	{"kill -9 between commit and ack", true, func(s *shaken, _ *episode) { s.killBeforeAck() }},
	{"the answer to COMMIT is lost", true, func(s *shaken, _ *episode) { s.loseCommit() }},
	{"Redis hangs", false, func(s *shaken, e *episode) { e.lasts(freeze(s.redis.PID())) }},
	{"Redis is slow", false, func(s *shaken, e *episode) {
		s.redis.relay.Slow(slowCall)
		e.lasts(func() { s.redis.relay.Slow(0) })
	}},
	{"Redis is away", false, func(s *shaken, e *episode) { e.lasts(s.redis.Down()) }},
	{"Postgres is away", false, func(s *shaken, e *episode) { e.lasts(s.postgres.Down()) }},
	{"Postgres hangs", false, func(s *shaken, e *episode) { e.lasts(freeze(s.postgres.PID())) }},
	{"the dashboard hangs", false, func(s *shaken, e *episode) { e.lasts(freeze(s.box.running("dashboard"))) }},
}

// Whatever happens to a part: every request is in the ledger once, at the right
// cost, no client notices but those whose own proxy died, and memory is
// bounded.
func TestChaosSplit(t *testing.T) {
	t.Parallel()
	s := &shaken{redis: newRedis(t), postgres: newPostgres(t)}
	s.rig = newRig(t, StartSplit, "--proxies", "2", "--redis", s.redis.url, "--postgres", s.postgres.url)
	for _, tr := range troubles {
		t.Run(tr.name, func(t *testing.T) {
			s.of(t)
			times := 1
			if tr.repeats {
				times = *rounds
			}
			s.repeat(tr.name, times, func(e *episode) {
				e.moment()
				tr.happens(s, e)
			})
		})
	}
	t.Run("clients leave", func(t *testing.T) {
		s.of(t)
		s.clientsLeave("clients leave a proxy")
	})
}

// of lets failures count against a part of the test. The system itself is the
// whole test's.
func (r *rig) of(t *testing.T) {
	r.t = t
	for _, a := range r.accounts {
		a.t = t
	}
}

// lasts lets a trouble last.
func (e *episode) lasts(end func()) {
	<-time.After(*outage)
	end()
}

// killProxy kills one of the two. What is in flight on it fails; nothing else
// may, so it must be back before the next trouble.
func (s *shaken) killProxy(e *episode) {
	n := e.rng.IntN(len(s.box.Proxies))
	from := time.Now()
	pid := s.box.running(fmt.Sprintf("proxy-%d", n+1))
	require.NoError(s.t, syscall.Kill(pid, syscall.SIGKILL))
	s.box.gone(pid)
	e.books.Down = append(e.books.Down, book.Window{From: from, To: time.Now()})
	require.Eventually(s.t, func() bool { return ready(s.t, s.box.Proxies[n]) }, patience, pollEvery)
}

// killBeforeAck kills the dashboard when it has committed a batch and before
// anybody hears of it.
func (s *shaken) killBeforeAck() {
	sprung := s.redis.relay.Trap("xack", false)
	s.await(sprung)
	s.box.kill("dashboard")
	s.redis.relay.Refuse(false)
}

// loseCommit cuts the connection on which a COMMIT was just sent.
func (s *shaken) loseCommit() {
	s.await(s.postgres.relay.Trap("commit", true))
	s.postgres.relay.Refuse(false)
}

func (s *shaken) await(sprung <-chan struct{}) {
	s.t.Helper()
	select {
	case <-sprung:
	case <-time.After(patience):
		require.Fail(s.t, "nobody said the word")
	}
}

// gone waits until nothing is left of a process that was killed: its listener
// outlives its memory for a moment.
func (b *Box) gone(pid int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return syscall.Kill(pid, 0) != nil }, patience, time.Millisecond)
}

func (f *figures) add(other figures) {
	f.requests += other.requests
	f.cut += other.cut
	f.report.Differences = append(f.report.Differences, other.report.Differences...)
	f.settled = max(f.settled, other.settled)
}

// show prints a row of the table, whose head is in deploy/scripts/chaos.
func (f *figures) show(t *testing.T, name string, mib int) {
	d := &f.report
	t.Logf("chaos| %-34s %8d %6d %6d %6d %7d %7d %6d %8.1f %6d", name, f.requests, f.cut, d.Count(book.Failed),
		d.Count(book.Lost), d.Count(book.Doubled), d.Count(book.Phantom),
		d.Count(book.Money)+d.Count(book.Total)+d.Count(book.Outcome), f.settled.Seconds(), mib)
}
