package e2e

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/relay"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// server is a Redis or Postgres of the split deployment. Clients reach it through a
// relay, so the test can inject faults.
type server struct {
	*testenv.Server
	t     *testing.T
	relay *relay.Relay
	// url is the address of the relay.
	url string
}

func newServer(t *testing.T, start func() (*testenv.Server, error)) *server {
	t.Helper()
	real, err := start()
	require.NoError(t, err)
	t.Cleanup(real.Stop)
	real.KeepRunning()
	u, err := url.Parse(real.URL)
	require.NoError(t, err)
	r, err := relay.New(u.Host)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	u.Host = r.Addr()
	return &server{Server: real, t: t, relay: r, url: u.String()}
}

func newRedis(t *testing.T) *server {
	return newServer(t, func() (*testenv.Server, error) {
		return testenv.StartRedis("--maxmemory-policy", "noeviction", "--appendonly", "yes")
	})
}

func newPostgres(t *testing.T) *server { return newServer(t, testenv.StartPostgres) }

// kill kills the server and waits until it has been restarted.
func (s *server) kill() {
	s.t.Helper()
	old := s.PID()
	require.NoError(s.t, syscall.Kill(old, syscall.SIGKILL))
	require.Eventually(s.t, func() bool { return s.PID() != old }, waitTimeout, pollInterval)
}

// command sends a command to Redis directly, not through the relay.
func (s *server) command(words string) {
	s.t.Helper()
	u, err := url.Parse(s.URL)
	require.NoError(s.t, err)
	conn, err := net.DialTimeout("tcp", u.Host, waitTimeout)
	require.NoError(s.t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(waitTimeout)))
	_, err = conn.Write([]byte(words + "\r\n"))
	require.NoError(s.t, err)
	answer := make([]byte, 3)
	_, err = conn.Read(answer)
	require.NoError(s.t, err)
	require.Equal(s.t, "+OK", string(answer))
}

// loseFiles deletes the files of a Redis and kills it.
func (s *server) loseFiles() {
	s.t.Helper()
	home, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.PID()))
	require.NoError(s.t, err)
	require.NoError(s.t, os.RemoveAll(filepath.Join(home, "appendonlydir")))
	s.kill()
}
