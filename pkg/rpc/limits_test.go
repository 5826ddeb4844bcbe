package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A graceful stop waits for unfinished handshakes.
func TestTheHandshakeTimeoutIsShorterThanTheGracePeriod(t *testing.T) {
	require.Less(t, defaultHandshakeTimeout, defaultGrace)
}
