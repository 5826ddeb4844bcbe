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
		require.Equal(t, want, percentFor(living), living)
	}
}

func TestTheHeapIsFollowed(t *testing.T) {
	before := debug.SetGCPercent(usual)
	defer debug.SetGCPercent(before)
	percent := func() int {
		p := debug.SetGCPercent(usual)
		debug.SetGCPercent(p)
		return p
	}
	t.Setenv("GOGC", "77")
	spareCollections()
	require.Equal(t, usual, percent(), "the operator's word rules")
	t.Setenv("GOGC", "")
	spareCollections()
	require.Greater(t, percent(), usual)
	large := make([]byte, 2*roomyHeap)
	require.Eventually(t, func() bool {
		runtime.GC()
		return percent() == usual
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(large)
	require.Eventually(t, func() bool {
		runtime.GC()
		return percent() > usual
	}, 10*time.Second, time.Millisecond)
}
