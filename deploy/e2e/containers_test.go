package e2e

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
	"github.com/signalbox/signalbox/deploy/e2e/relay"
)

// stackRig is the compose stack under load.
type stackRig struct {
	*rig
	*stack
	t *testing.T
	// redis and postgres are relays in front of the containers, once startRelays was called.
	redis, postgres *relay.Relay
}

// useTest makes failures count against a subtest.
func (s *stackRig) useTest(t *testing.T) {
	s.rig.useTest(t)
	s.t, s.stack.t = t, t
}

// The services that run in the stack, in the order in which they are replaced.
var stackServices = []string{"redis", "postgres", "keyauth", "router", "dashboard", "proxy-1", "proxy-2", "balancer"}

// TestContainers runs docker-compose.yml with its real images. deploy/scripts/containers builds
// them and runs this test.
func TestContainers(t *testing.T) {
	if *composeFlag == "" {
		t.Skip("runs with make containers")
	}
	s := newStackRig(t)
	t.Run("hardened", func(t *testing.T) {
		s.useTest(t)
		s.requireHardened()
	})
	for _, service := range stackServices {
		t.Run("replace "+service, func(t *testing.T) {
			s.useTest(t)
			s.repeat("replace "+service, 1, func(e *episode) { s.replace(e, service) })
		})
	}
	t.Run("kill everything", func(t *testing.T) {
		s.useTest(t)
		s.repeat("kill -9 of everything", 1, s.killEverything)
	})
	s.runFaults(t, stackFaults)
	s.startRelays()
	s.runFaults(t, relayedFaults)
	t.Run("TLS", func(t *testing.T) {
		s.useTest(t)
		s.requireTLS()
	})
}

func (s *stackRig) runFaults(t *testing.T, all []stackFault) {
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			s.useTest(t)
			s.repeat(f.name, *rounds, func(e *episode) {
				e.waitRandom()
				f.inject(s, e)
			})
		})
	}
	s.useTest(t)
}

// newStackRig starts the stack with a policy of the test. Its provider listens where
// containers reach it.
func newStackRig(t *testing.T) *stackRig {
	t.Helper()
	s := &stackRig{t: t}
	address := (&stack{t: t}).gatewayAddress()
	provider := func(seed uint64) *load.Provider {
		lis, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
		require.NoError(t, err)
		return load.NewProviderAt(seed, lis)
	}
	start := func(t *testing.T, flags ...string) (b *Gateway) {
		s.stack, b = startStack(t, flags...)
		return b
	}
	s.rig = newRigWith(t, provider, start)
	s.memory.pids = func() []int {
		return []int{s.pid("proxy-1"), s.pid("proxy-2"), s.pid("dashboard")}
	}
	return s
}

// requireHardened checks what the kernel says about every process, not what the file asks for.
func (s *stackRig) requireHardened() {
	for _, service := range stackServices {
		c, err := s.inspect(service)
		require.NoError(s.t, err)
		require.Equal(s.t, "healthy", c.State.Health.Status, service)
		require.True(s.t, c.HostConfig.ReadonlyRootfs, service)
		require.False(s.t, c.HostConfig.Privileged, service)
		status := processStatus(s.t, c.State.Pid)
		require.NotEqual(s.t, "0", strings.Fields(status["Uid"])[1], "%s runs as root", service)
		for _, set := range []string{"CapEff", "CapPrm", "CapBnd"} {
			require.Equal(s.t, "0000000000000000", status[set], "%s of %s", set, service)
		}
		require.Equal(s.t, "1", status["NoNewPrivs"], service)
		require.True(s.t, rootIsReadOnly(s.t, c.State.Pid), service)
		s.t.Logf("containers| %-10s healthy, user %s, no capabilities, no new privileges, read-only root", service, strings.Fields(status["Uid"])[1])
	}
}

func processStatus(t *testing.T, pid int) map[string]string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

func rootIsReadOnly(t *testing.T, pid int) bool {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 3 && f[1] == "/" {
			return strings.HasPrefix(f[3], "ro,") || f[3] == "ro"
		}
	}
	return false
}

// replace replaces the container of a service. Clients notice only the balancer's replacement:
// one machine has one listener for the published port. They retry, as the vendors' libraries do.
func (s *stackRig) replace(e *episode, service string) {
	e.awaitSuccesses(20)
	if service == "balancer" {
		e.load.RetryConnections(true)
	}
	old := s.pid(service)
	s.compose("up", "-d", "--no-deps", "--no-build", "--force-recreate", "--wait", service)
	require.NotEqual(s.t, old, s.pid(service))
	e.awaitSuccesses(20)
	if service == "balancer" {
		s.t.Logf("containers| %d connections were retried while the balancer was replaced", e.load.RetryConnections(false))
	}
}

// killEverything kills every container at once and starts the stack again on its volumes.
func (s *stackRig) killEverything(e *episode) {
	from := time.Now()
	args := []string{"kill"}
	for _, service := range stackServices {
		args = append(args, containerName(service))
	}
	s.docker(args...)
	s.compose("up", "-d", "--wait", "--no-build")
	e.books.Outages = append(e.books.Outages, reconcile.Outage{From: from, To: time.Now(), Balanced: true})
}
