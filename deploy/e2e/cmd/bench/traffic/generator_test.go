package traffic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdleConnectionsExpire(t *testing.T) {
	g := &Generator{Address: "127.0.0.1:1"}
	older, newer := g.takeClient(), g.takeClient()
	g.returnClient(older)
	g.returnClient(newer)
	require.Same(t, newer, g.takeClient(), "the connection used last")

	older.idleSince = time.Now().Add(-maxIdle - time.Second)
	require.NotSame(t, older, g.takeClient())
	require.Empty(t, g.idle)
}
