package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// roomyHeap is how large the heap may grow before collections come as often
	// as Go's default has them. A gateway's living heap is a few megabytes and
	// its garbage is most of what it makes, so that at the default it collects
	// many times a second for nothing.
	roomyHeap = 26 << 20
	// seldomest and usual bound the percentage of garbage that is let pile up.
	seldomest = 400
	usual     = 100
)

// spareCollections keeps the collector's percentage at what roomyHeap allows,
// anew after every collection. An operator's own GOGC or GOMEMLIMIT rules.
func spareCollections() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	// Less than 16 bytes would share their memory, and might never be let go.
	var after func(*[16]byte)
	now := 0
	after = func(sentinel *[16]byte) {
		if p := percentFor(livingHeap()); p != now {
			debug.SetGCPercent(p)
			now = p
		}
		runtime.SetFinalizer(sentinel, after)
	}
	after(new([16]byte))
}

// percentFor is in steps, as setting it stops the world for a moment.
func percentFor(living uint64) int {
	if living == 0 {
		return seldomest
	}
	room := (int64(roomyHeap) - int64(living)) * 100 / int64(living) //nolint:gosec // bytes of a heap
	return int(min(max(room-room%50, usual), seldomest))
}

func livingHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return roomyHeap
	}
	return sample[0].Value.Uint64()
}
