package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNobodyWaitsForARouterThatHangs(t *testing.T) {
	var p tolerance
	now := time.Unix(1000, 0)
	for range toleranceTries {
		require.True(t, p.asks(now))
		require.False(t, p.lost())
		p.heard(false, now)
	}
	require.True(t, p.lost())
	require.False(t, p.asks(now.Add(tolerancePause-1)))
	back := now.Add(tolerancePause)
	require.True(t, p.asks(back), "one looks whether it is back")
	require.False(t, p.asks(back), "and only one")
	p.heard(false, back)
	require.False(t, p.asks(back.Add(tolerancePause-1)))
	require.True(t, p.asks(back.Add(tolerancePause)))
	p.heard(true, back)
	require.False(t, p.lost())
	require.True(t, p.asks(back))
}
