package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

const haproxyConfig = "../compose/haproxy.cfg"

// haproxy is a running balancer with the configuration of docker-compose.yml.
type haproxy struct {
	// url is the address for clients, inner the one for the dashboard.
	url   string
	inner string
	cmd   *exec.Cmd
	log   synced
	ended chan struct{}
}

func haproxyBinary(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("haproxy"); err == nil {
		return path
	}
	// Debian's path, which is in root's PATH only.
	const debian = "/usr/sbin/haproxy"
	require.FileExists(t, debian, "HAProxy is not installed: run deploy/scripts/setup")
	return debian
}

func haproxyEnv(listen, inner, health, proxy1, proxy2, dashboard string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "BALANCER_LISTEN=" + listen, "BALANCER_INNER=" + inner, "BALANCER_HEALTH=" + health,
		"BALANCER_PROXY_1=" + proxy1, "BALANCER_PROXY_2=" + proxy2, "BALANCER_DASHBOARD=" + dashboard,
	}
	for i, kv := range env {
		env[i] = strings.Replace(kv, "=http://", "=", 1)
	}
	return env
}

// startHAProxy starts the balancer in front of servers, given by address or URL. extra are further
// variables of its environment.
func startHAProxy(t *testing.T, proxy1, proxy2, dashboard string, extra ...string) *haproxy {
	t.Helper()
	var h *haproxy
	// Retry, because another program may take a port first.
	for range 5 {
		if h = tryHAProxy(t, proxy1, proxy2, dashboard, extra...); h != nil {
			return h
		}
	}
	t.Fatal("haproxy found no port")
	return nil
}

func tryHAProxy(t *testing.T, proxy1, proxy2, dashboard string, extra ...string) *haproxy {
	t.Helper()
	listen, inner, health := freeAddress(t), freeAddress(t), freeAddress(t)
	h := &haproxy{url: "http://" + listen, inner: "http://" + inner, ended: make(chan struct{})}
	// The same flags as in the image.
	h.cmd = exec.Command(haproxyBinary(t), "-W", "-db", "-f", haproxyConfig)
	h.cmd.Env = append(haproxyEnv(listen, inner, health, proxy1, proxy2, dashboard), extra...)
	h.cmd.Stdout, h.cmd.Stderr = &h.log, &h.log
	require.NoError(t, h.cmd.Start())
	go func() {
		_ = h.cmd.Wait()
		close(h.ended)
	}()
	t.Cleanup(func() { h.stop(t, syscall.SIGTERM) })
	up := func() bool { return h.exited() || ready(t, "http://"+health) }
	require.Eventually(t, up, waitTimeout, pollInterval, h.log.String())
	if h.exited() {
		require.Contains(t, h.log.String(), "cannot bind", h.log.String())
		return nil
	}
	return h
}

func (h *haproxy) exited() bool {
	select {
	case <-h.ended:
		return true
	default:
		return false
	}
}

// stop sends the signal and waits for the exit. It does nothing if the process has
// exited.
func (h *haproxy) stop(t *testing.T, how syscall.Signal) {
	if h.exited() {
		return
	}
	require.NoError(t, h.cmd.Process.Signal(how))
	<-h.ended
	if t.Failed() {
		t.Logf("haproxy printed:\n%s", h.log.String())
	}
}

// freeAddress returns an address that no other test gets.
func freeAddress(t *testing.T) string {
	t.Helper()
	return "127.0.0.1:" + testenv.FreePort(t)
}

// freshClient opens a new connection for every request.
var freshClient = &http.Client{Timeout: waitTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
