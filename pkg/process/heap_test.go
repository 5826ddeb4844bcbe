package process

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRoomForGarbage(t *testing.T) {
	for living, want := range map[uint64]int{
		0: 400, 1 << 20: 400, 5 << 20: 400, 13 << 19: 300, 10 << 20: 150, 13 << 20: 100, 40 << 20: 100, 1 << 30: 100,
	} {
		require.Equal(t, want, gcPercentFor(living), living)
	}
}

func TestTheHeapIsFollowed(t *testing.T) {
	before := debug.SetGCPercent(minGCPercent)
	defer debug.SetGCPercent(before)
	percent := func() int {
		p := debug.SetGCPercent(minGCPercent)
		debug.SetGCPercent(p)
		return p
	}
	t.Setenv("GOGC", "77")
	tuneGC()
	require.Equal(t, minGCPercent, percent(), "the operator's setting takes precedence")
	t.Setenv("GOGC", "")
	tuneGC()
	require.Greater(t, percent(), minGCPercent)
	large := make([]byte, 2*targetHeap)
	require.Eventually(t, func() bool {
		runtime.GC()
		return percent() == minGCPercent
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(large)
	require.Eventually(t, func() bool {
		runtime.GC()
		return percent() > minGCPercent
	}, 10*time.Second, time.Millisecond)
}
