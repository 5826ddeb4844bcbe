package e2e

import (
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/relay"
)

// relayedFaults happen between two messages of a connection, so they need a relay.
var relayedFaults = []stackFault{
	{"kill -9 between commit and ack", func(s *stackRig, _ *episode) {
		s.awaitCut(s.redis.CutAt("xack", false))
		pid := s.pid("dashboard")
		require.NoError(s.t, syscall.Kill(pid, syscall.SIGKILL))
		s.redis.SetRefusing(false)
		s.awaitHealthy("dashboard", pid)
	}},
	{"the answer to COMMIT is lost", func(s *stackRig, _ *episode) {
		s.awaitCut(s.postgres.CutAt("commit", true))
		s.postgres.SetRefusing(false)
	}},
	{"Redis is slow", func(s *stackRig, e *episode) {
		s.redis.SetDelay(slowCall)
		e.lasts(func() { s.redis.SetDelay(0) })
	}},
}

func (s *stackRig) awaitCut(cut <-chan struct{}) {
	s.t.Helper()
	select {
	case <-cut:
	case <-time.After(waitTimeout):
		require.Fail(s.t, "the trigger word was not sent")
	}
}

// startRelays puts relays on this machine between the services and the containers of Redis and
// Postgres. check.yml has the variables.
func (s *stackRig) startRelays() {
	s.t.Helper()
	s.redis, s.postgres = s.relayTo("redis", "carrier", "6379"), s.relayTo("postgres", "store", "5432")
	s.env = append(s.env, "CHECK_REDIS="+s.redis.Addr(), "CHECK_POSTGRES="+s.postgres.Addr())
	s.compose("up", "-d", "--no-deps", "--no-build", "--wait", "proxy-1", "proxy-2", "dashboard")
}

func (s *stackRig) relayTo(service, network, port string) *relay.Relay {
	s.t.Helper()
	ip := strings.TrimSpace(s.docker("inspect", "--format", `{{(index .NetworkSettings.Networks "`+os.Getenv("COMPOSE_PROJECT_NAME")+`_`+network+`").IPAddress}}`, containerName(service)))
	lis, err := net.Listen("tcp", net.JoinHostPort(s.gatewayAddress(), "0"))
	require.NoError(s.t, err)
	r := relay.NewOn(lis, net.JoinHostPort(ip, port))
	s.t.Cleanup(r.Close)
	return r
}
