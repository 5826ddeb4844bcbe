package procfs

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountConnections(t *testing.T) {
	before, err := CountConnections(os.Getpid())
	require.NoError(t, err)
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, lis.Close()) }()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", lis.Addr().String())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	accepted, err := lis.Accept()
	require.NoError(t, err)
	defer func() { require.NoError(t, accepted.Close()) }()
	after, err := CountConnections(os.Getpid())
	require.NoError(t, err)
	require.Equal(t, before+1, after, "the side that dialled does not count")
}
