package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRequestsDoNotWaitForAHangingRouter(t *testing.T) {
	var p hangGuard
	now := time.Unix(1000, 0)
	for range maxMissed {
		require.False(t, p.isLost())
		require.False(t, p.shouldProbe(now), "a router that responds needs no probe")
		p.record(false, now)
	}
	require.True(t, p.isLost())
	require.False(t, p.shouldProbe(now.Add(probePause-1)))
	back := now.Add(probePause)
	require.True(t, p.shouldProbe(back), "one looks whether it is back")
	require.False(t, p.shouldProbe(back), "and only one")
	p.record(false, back)
	require.False(t, p.shouldProbe(back.Add(probePause-1)))
	require.True(t, p.shouldProbe(back.Add(probePause)))
	p.record(true, back)
	require.False(t, p.isLost())
}
