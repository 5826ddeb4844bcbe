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
		require.True(t, p.allowsQuestion(now))
		require.False(t, p.isLost())
		p.record(false, now)
	}
	require.True(t, p.isLost())
	require.False(t, p.allowsQuestion(now.Add(probePause-1)))
	back := now.Add(probePause)
	require.True(t, p.allowsQuestion(back), "one looks whether it is back")
	require.False(t, p.allowsQuestion(back), "and only one")
	p.record(false, back)
	require.False(t, p.allowsQuestion(back.Add(probePause-1)))
	require.True(t, p.allowsQuestion(back.Add(probePause)))
	p.record(true, back)
	require.False(t, p.isLost())
	require.True(t, p.allowsQuestion(back))
}
