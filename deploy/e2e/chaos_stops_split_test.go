package e2e

import (
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Processes of the split deployment stop at random moments while Redis, Postgres or the disk
// of a proxy fails. Every response has exactly one record with the right cost.
func TestChaosStopsSplit(t *testing.T) {
	t.Parallel()
	if *stops == 0 {
		t.Skip("runs with make chaos")
	}
	data := t.TempDir()
	s := &chaosRig{redis: newRedis(t), postgres: newPostgres(t)}
	small := newDisk(t, "64m", filepath.Join(data, "proxy-1"))
	s.rig = newRig(t, StartSplit, "--proxies", "2", "--data", data, "--redis", s.redis.url, "--postgres", s.postgres.url,
		"--set", "SIGNALBOX_DRAIN_LIMIT="+stopDrainLimit)
	r := &stopRig{
		rig: s.rig, faults: append(s.dependencyFaults(), s.diskFaults(small)...),
		names:   []string{"proxy-1", "proxy-1", "proxy-2", "proxy-2", "dashboard", "dashboard", "dashboard", "keyauth", "router"},
		stopAll: s.stopParts, restart: s.awaitParts, baseOf: s.baseOf,
	}
	r.run(t, (*stops+1)/2)
}

// dependencyFaults returns the faults of Redis and Postgres.
func (s *chaosRig) dependencyFaults() []dependencyFault {
	cut := func(of *server, word string, pass bool) func() func() {
		return func() func() {
			s.awaitCut(of.relay.CutAt(word, pass))
			return func() { of.relay.SetRefusing(false) }
		}
	}
	slow := func(of *server) func() func() {
		return func() func() {
			of.relay.SetDelay(slowCall)
			return func() { of.relay.SetDelay(0) }
		}
	}
	refuse := func(of *server) func() func() {
		return func() func() {
			of.relay.SetRefusing(true)
			return func() { of.relay.SetRefusing(false) }
		}
	}
	return []dependencyFault{
		{name: "nothing fails", begin: func() func() { return func() {} }},
		{name: "Redis is away", begin: s.redis.Down},
		{name: "Redis hangs", begin: func() func() { return freeze(s.redis.PID()) }},
		{name: "Redis is slow", begin: slow(s.redis)},
		{name: "Redis refuses connections", begin: refuse(s.redis)},
		{name: "Redis loses its files", begin: func() func() { s.redis.loseFiles(); return func() {} }},
		{name: "XACK does not reach Redis", begin: cut(s.redis, "xack", false)},
		{name: "the answer to XADD is lost", begin: cut(s.redis, "xadd", true)},
		{name: "Postgres is away", begin: s.postgres.Down},
		{name: "Postgres hangs", begin: func() func() { return freeze(s.postgres.PID()) }},
		{name: "Postgres refuses connections", begin: refuse(s.postgres)},
		{name: "COMMIT does not reach Postgres", begin: cut(s.postgres, "commit", false)},
		{name: "the answer to COMMIT is lost", begin: cut(s.postgres, "commit", true)},
	}
}

// diskFaults returns the faults of the disk of the first proxy.
func (s *chaosRig) diskFaults(small *disk) []dependencyFault {
	if !small.mounted {
		return nil // a limit for one process does not apply to the next one
	}
	fill := func() func() { return sync.OnceFunc(small.fill(s.box.running("proxy-1"))) }
	return []dependencyFault{{name: "the disk of proxy-1 is full", begin: fill, inMemory: "proxy-1"}}
}

// stopParts sends the signals and waits until the processes have exited. The supervisor
// restarts them.
func (s *chaosRig) stopParts(stops []processStop) {
	s.t.Helper()
	pids := make([]int, len(stops))
	for i, stop := range stops {
		pids[i] = s.box.running(stop.name)
		require.NoError(s.t, syscall.Kill(pids[i], stop.signal))
	}
	for _, pid := range pids {
		s.box.awaitExit(pid)
	}
}

// awaitParts waits until every proxy is ready. The reconciliation waits for the others.
func (s *chaosRig) awaitParts() {
	s.t.Helper()
	for _, base := range s.box.Proxies {
		require.Eventually(s.t, func() bool { return ready(s.t, base) }, waitTimeout, pollInterval, base)
	}
}

func (s *chaosRig) baseOf(name string) string {
	if !strings.HasPrefix(name, "proxy-") {
		return ""
	}
	return s.box.Proxies[name[len(name)-1]-'1']
}
