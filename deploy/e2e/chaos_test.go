package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// slowCall is the delay of every response of a slow Redis.
const slowCall = 500 * time.Millisecond

// chaosRig is the split deployment with the servers that faults happen to.
type chaosRig struct {
	*rig
	redis, postgres *server
}

// chaosFault is a fault under load. It happens once, or as often as -rounds says.
type chaosFault struct {
	name    string
	repeats bool
	inject  func(s *chaosRig, e *episode)
}

var chaosFaults = []chaosFault{
	{"nothing", false, func(_ *chaosRig, e *episode) { e.awaitSuccesses(*rate) }},
	{"kill -9 of a proxy", true, func(s *chaosRig, e *episode) { s.killProxy(e) }},
	{"kill -9 of the dashboard", true, func(s *chaosRig, _ *episode) { s.box.kill("dashboard") }},
	{"kill -9 of Redis", true, func(s *chaosRig, _ *episode) { s.redis.kill() }},
	{"kill -9 of Postgres", true, func(s *chaosRig, _ *episode) { s.postgres.kill() }},
	{"kill -9 of keyauth and router", true, func(s *chaosRig, _ *episode) { s.box.kill("keyauth"); s.box.kill("router") }},
	{"Redis loses its files", true, func(s *chaosRig, _ *episode) { s.redis.loseFiles() }},
	{"FLUSHALL", true, func(s *chaosRig, _ *episode) { s.redis.command("FLUSHALL") }},
	{"kill -9 between commit and ack", true, func(s *chaosRig, _ *episode) { s.killBeforeAck() }},
	{"the answer to COMMIT is lost", true, func(s *chaosRig, _ *episode) { s.loseCommit() }},
	{"Redis hangs", false, func(s *chaosRig, e *episode) { e.lasts(freeze(s.redis.PID())) }},
	{"Redis is slow", false, func(s *chaosRig, e *episode) {
		s.redis.relay.SetDelay(slowCall)
		e.lasts(func() { s.redis.relay.SetDelay(0) })
	}},
	{"Redis is away", false, func(s *chaosRig, e *episode) { e.lasts(s.redis.Down()) }},
	{"Postgres is away", false, func(s *chaosRig, e *episode) { e.lasts(s.postgres.Down()) }},
	{"Postgres hangs", false, func(s *chaosRig, e *episode) { e.lasts(freeze(s.postgres.PID())) }},
	{"the dashboard hangs", false, func(s *chaosRig, e *episode) { e.lasts(freeze(s.box.running("dashboard"))) }},
}

// Whatever fails: every request is in the ledger exactly once with the right cost,
// only clients of a killed proxy see an error, and memory stays bounded.
func TestChaosSplit(t *testing.T) {
	t.Parallel()
	s := &chaosRig{redis: newRedis(t), postgres: newPostgres(t)}
	s.rig = newRig(t, StartSplit, "--proxies", "2", "--redis", s.redis.url, "--postgres", s.postgres.url)
	for _, tr := range chaosFaults {
		t.Run(tr.name, func(t *testing.T) {
			s.useTest(t)
			times := 1
			if tr.repeats {
				times = *rounds
			}
			s.repeat(tr.name, times, func(e *episode) {
				e.waitRandom()
				tr.inject(s, e)
			})
		})
	}
	t.Run("clients leave", func(t *testing.T) {
		s.useTest(t)
		s.clientsLeave("clients leave a proxy")
	})
}

// useTest makes failures count against a subtest. The gateway belongs to the whole
// test.
func (r *rig) useTest(t *testing.T) {
	r.t = t
	for _, a := range r.accounts {
		a.t = t
	}
}

// lasts waits for the outage and ends the fault.
func (e *episode) lasts(end func()) {
	<-time.After(*outage)
	end()
}

// killProxy kills one of the two proxies. Only its requests in flight may fail, so
// it must be ready again before the next fault.
func (s *chaosRig) killProxy(e *episode) {
	n := e.rng.IntN(len(s.box.Proxies))
	from := time.Now()
	pid := s.box.running(fmt.Sprintf("proxy-%d", n+1))
	require.NoError(s.t, syscall.Kill(pid, syscall.SIGKILL))
	s.box.awaitExit(pid)
	e.books.Outages = append(e.books.Outages, reconcile.Outage{From: from, To: time.Now()})
	require.Eventually(s.t, func() bool { return ready(s.t, s.box.Proxies[n]) }, waitTimeout, pollInterval)
}

// killBeforeAck kills the dashboard after it has committed a batch and before it
// acknowledges it.
func (s *chaosRig) killBeforeAck() {
	sprung := s.redis.relay.CutAt("xack", false)
	s.awaitCut(sprung)
	s.box.kill("dashboard")
	s.redis.relay.SetRefusing(false)
}

// loseCommit cuts the connection on which a COMMIT was just sent.
func (s *chaosRig) loseCommit() {
	s.awaitCut(s.postgres.relay.CutAt("commit", true))
	s.postgres.relay.SetRefusing(false)
}

func (s *chaosRig) awaitCut(sprung <-chan struct{}) {
	s.t.Helper()
	select {
	case <-sprung:
	case <-time.After(waitTimeout):
		require.Fail(s.t, "the trigger word was not sent")
	}
}

// awaitExit waits until a killed process is gone. Its listener stays open for a moment
// longer than the process runs.
func (b *Gateway) awaitExit(pid int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return syscall.Kill(pid, 0) != nil }, waitTimeout, time.Millisecond)
}

func (f *figures) add(other figures) {
	f.requests += other.requests
	f.cut += other.cut
	f.report.Differences = append(f.report.Differences, other.report.Differences...)
	f.settled = max(f.settled, other.settled)
}

// print prints a row of the table; deploy/scripts/chaos prints the heading.
func (f *figures) print(t *testing.T, name string, mib int) {
	d := &f.report
	t.Logf("chaos| %-34s %8d %6d %6d %6d %7d %7d %6d %8.1f %6d", name, f.requests, f.cut, d.Count(reconcile.Failed),
		d.Count(reconcile.Lost), d.Count(reconcile.Doubled), d.Count(reconcile.Phantom),
		d.Count(reconcile.Money)+d.Count(reconcile.Total)+d.Count(reconcile.Outcome), f.settled.Seconds(), mib)
}
