package testenv

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAKeptServerComesBack(t *testing.T) {
	s, err := StartRedis("--appendonly", "yes")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	s.KeepRunning()
	require.Equal(t, "+OK", ask(t, s.URL, "SET k v"))
	back := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			conn, err := net.DialTimeout("tcp", redisAddr(s.URL), time.Second)
			if err != nil {
				return false
			}
			defer func() { _ = conn.Close() }()
			_, _ = conn.Write([]byte("EXISTS k\r\n"))
			answer := make([]byte, 4)
			_, err = io.ReadFull(conn, answer)
			return err == nil && string(answer) == ":1\r\n"
		}, startTimeout, time.Millisecond)
	}
	first := s.PID()
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	require.Eventually(t, func() bool { return s.PID() != first }, startTimeout, time.Millisecond)
	back()

	second := s.PID()
	up := s.Down()
	require.True(t, s.restartAfterExit(), "it is asked whether it should")
	require.Equal(t, second, s.PID(), "and says no")
	_, err = net.DialTimeout("tcp", redisAddr(s.URL), time.Second)
	require.Error(t, err)
	up()
	back()
}
