package testenv

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server binds its port later. Until then, no other process may get it.
func TestAReservedPortBelongsToOneProcess(t *testing.T) {
	if addr := os.Getenv("TESTENV_RESERVE"); addr != "" {
		require.NoError(t, reserve(addr))
		return
	}
	t.Parallel()
	port, err := ReservePort()
	require.NoError(t, err)
	addr := "127.0.0.1:" + strconv.Itoa(port)
	require.Error(t, reserve(addr))
	other := exec.Command(os.Args[0], "-test.run=^TestAReservedPortBelongsToOneProcess$")
	other.Env = append(os.Environ(), "TESTENV_RESERVE="+addr)
	out, err := other.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "address already in use")

	server, err := net.Listen("tcp", addr)
	require.NoError(t, err, "the server binds it")
	require.NoError(t, server.Close())
}
