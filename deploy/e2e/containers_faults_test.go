package e2e

import (
	"os"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// stackFault is a fault of the compose stack under load.
type stackFault struct {
	name   string
	inject func(s *stackRig, e *episode)
}

// stackFaults are the faults of TestChaosSplit, made with Docker.
var stackFaults = []stackFault{
	{"kill -9 of a proxy", func(s *stackRig, e *episode) { s.killProxy(e) }},
	{"kill -9 of the dashboard", func(s *stackRig, _ *episode) { s.kill("dashboard") }},
	{"kill -9 of Redis", func(s *stackRig, _ *episode) { s.kill("redis") }},
	{"kill -9 of Postgres", func(s *stackRig, _ *episode) { s.kill("postgres") }},
	{"kill -9 of keyauth and router", func(s *stackRig, _ *episode) { s.kill("keyauth"); s.kill("router") }},
	{"Redis loses its files", func(s *stackRig, _ *episode) {
		s.docker("exec", containerName("redis"), "rm", "-rf", "/data/appendonlydir")
		s.kill("redis")
	}},
	{"FLUSHALL", func(s *stackRig, _ *episode) { s.docker("exec", containerName("redis"), "redis-cli", "FLUSHALL") }},
	{"Redis hangs", func(s *stackRig, e *episode) { s.pause(e, "redis") }},
	{"Redis is away", func(s *stackRig, e *episode) { s.stop(e, "redis") }},
	{"Postgres is away", func(s *stackRig, e *episode) { s.stop(e, "postgres") }},
	{"Postgres hangs", func(s *stackRig, e *episode) { s.pause(e, "postgres") }},
	{"the dashboard hangs", func(s *stackRig, e *episode) { s.pause(e, "dashboard") }},
	{"the network of Redis is cut", func(s *stackRig, e *episode) { s.disconnect(e, "carrier", "redis") }},
	{"the network of Postgres is cut", func(s *stackRig, e *episode) { s.disconnect(e, "store", "postgres") }},
}

// killProxy kills one of the two proxies. The balancer answers 503 for its requests in flight.
func (s *stackRig) killProxy(e *episode) {
	service := []string{"proxy-1", "proxy-2"}[e.rng.IntN(2)]
	pid := s.pid(service)
	from := time.Now()
	require.NoError(s.t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(s.t, func() bool { return syscall.Kill(pid, 0) != nil }, waitTimeout, time.Millisecond)
	e.books.Outages = append(e.books.Outages, reconcile.Outage{From: from, To: time.Now(), Balanced: true})
	s.awaitHealthy(service, pid)
}

// pause freezes a container for the outage.
func (s *stackRig) pause(e *episode, service string) {
	s.docker("pause", containerName(service))
	e.lasts(func() { s.docker("unpause", containerName(service)) })
}

// stop kills a container and starts it again after the outage.
func (s *stackRig) stop(e *episode, service string) {
	s.docker("kill", containerName(service))
	e.lasts(func() { s.docker("start", containerName(service)) })
	s.awaitHealthy(service, 0)
}

// disconnect takes a container from its network for the outage. Packets to it get no answer.
func (s *stackRig) disconnect(e *episode, network, service string) {
	network = os.Getenv("COMPOSE_PROJECT_NAME") + "_" + network
	s.docker("network", "disconnect", network, containerName(service))
	e.lasts(func() { s.docker("network", "connect", "--alias", service, network, containerName(service)) })
}
