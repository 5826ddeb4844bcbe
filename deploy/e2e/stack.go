package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// deploy/scripts/containers sets these flags. The environment names the project, its files and
// the Docker engine.
var (
	composeFlag = flag.String("compose", "", "program that runs Docker Compose; the split deployment is then docker-compose.yml")
	dockerFlag  = flag.String("docker", "docker", "program that runs docker")
)

// stackTimeout limits one command of Docker. A stopped proxy finishes its requests first.
const stackTimeout = 5 * time.Minute

// stack is docker-compose.yml, started for real. Env holds variables of the file beside those of
// this process.
type stack struct {
	t   *testing.T
	env []string
}

func (s *stack) run(program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stackTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func (s *stack) compose(args ...string) string {
	s.t.Helper()
	out, err := s.run(*composeFlag, args...)
	require.NoError(s.t, err)
	return out
}

func (s *stack) docker(args ...string) string {
	s.t.Helper()
	out, err := s.run(*dockerFlag, args...)
	require.NoError(s.t, err)
	return out
}

// startStack starts the compose file on empty volumes and claims the operator's account. A
// policy file is given as --config PATH.
func startStack(t *testing.T, flags ...string) (*stack, *Gateway) {
	t.Helper()
	s := &stack{t: t}
	if len(flags) == 2 && flags[0] == "--config" {
		s.env = append(s.env, "SIGNALBOX_POLICY_DIR="+filepath.Dir(flags[1]))
	}
	s.compose("down", "--volumes", "--timeout", "5")
	began := time.Now()
	s.compose("up", "-d", "--wait", "--no-build")
	t.Logf("containers| every service is healthy after %.1f s", time.Since(began).Seconds())
	b := newGateway(t)
	b.Base = "http://" + os.Getenv("SIGNALBOX_PUBLISH")
	b.Dashboard = b.Base
	for line := range strings.Lines(s.compose("run", "--rm", "-T", "bootstrap")) {
		captureMatch(&b.Key, keyLine, line)
		captureMatch(&b.Claim, claimLine, line)
	}
	require.NotEmpty(t, b.Key)
	require.NotEmpty(t, b.Claim)
	return s, b
}

// startSharedStack returns the stack for tests that need no settings of their own.
func startSharedStack(t *testing.T) *Gateway {
	t.Helper()
	_, b := startStack(t)
	b.SignInOperator()
	return b
}

// containerInfo is what Docker reports about a container.
type containerInfo struct {
	State struct {
		Pid     int
		Running bool
		Health  struct{ Status string }
	}
	Config     struct{ User, Image string }
	HostConfig struct {
		ReadonlyRootfs bool
		CapAdd         []string
		Privileged     bool
	}
}

func containerName(service string) string {
	return os.Getenv("COMPOSE_PROJECT_NAME") + "-" + service + "-1"
}

func (s *stack) inspect(service string) (containerInfo, error) {
	out, err := s.run(*dockerFlag, "inspect", containerName(service))
	if err != nil {
		return containerInfo{}, err
	}
	var all []containerInfo
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		return containerInfo{}, err
	}
	return all[0], nil
}

// pid returns the main process of a service, which must be running.
func (s *stack) pid(service string) int {
	s.t.Helper()
	c, err := s.inspect(service)
	require.NoError(s.t, err)
	require.NotZero(s.t, c.State.Pid, service)
	return c.State.Pid
}

// kill kills the main process of a service, as the kernel does when memory runs out, and waits
// until Docker has restarted it. `docker kill` would be a stop by the operator, which Docker
// does not undo.
func (s *stack) kill(service string) {
	s.t.Helper()
	pid := s.pid(service)
	require.NoError(s.t, syscall.Kill(pid, syscall.SIGKILL))
	s.awaitHealthy(service, pid)
}

// awaitHealthy waits until a service is healthy in another process than the old one.
func (s *stack) awaitHealthy(service string, old int) {
	s.t.Helper()
	healthy := func() bool {
		c, err := s.inspect(service)
		return err == nil && c.State.Pid != old && c.State.Running && c.State.Health.Status == "healthy"
	}
	require.Eventually(s.t, healthy, waitTimeout, 10*pollInterval, service)
}

// gatewayAddress returns the address of this machine that containers reach, that of the engine's
// default bridge. Some engines do not report the address, so the interface is asked.
func (s *stack) gatewayAddress() string {
	s.t.Helper()
	name := strings.TrimSpace(s.docker("network", "inspect", "bridge", "--format", `{{index .Options "com.docker.network.bridge.name"}}`))
	bridge, err := net.InterfaceByName(name)
	require.NoError(s.t, err)
	addresses, err := bridge.Addrs()
	require.NoError(s.t, err)
	require.NotEmpty(s.t, addresses)
	prefix, err := netip.ParsePrefix(addresses[0].String())
	require.NoError(s.t, err)
	return prefix.Addr().String()
}
