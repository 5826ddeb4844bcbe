package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// targetHeap is the heap size up to which garbage collections are rarer than with Go's default.
	// The live heap of a gateway is a few megabytes, and most allocations become garbage. With Go's
	// default, the process would collect garbage many times per second.
	targetHeap = 26 << 20
	// maxGCPercent and minGCPercent limit the GC percentage. The minimum is Go's default.
	maxGCPercent = 400
	minGCPercent = 100
)

// tuneGC sets the GC percentage so that the heap grows to targetHeap. A finalizer adjusts the
// percentage after every collection. If GOGC or GOMEMLIMIT is set, tuneGC does nothing.
func tuneGC() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	// The sentinel has 16 bytes. Smaller objects may share memory with others and may never be
	// finalized.
	var after func(*[16]byte)
	now := 0
	after = func(sentinel *[16]byte) {
		if p := gcPercentFor(liveHeapBytes()); p != now {
			debug.SetGCPercent(p)
			now = p
		}
		runtime.SetFinalizer(sentinel, after)
	}
	after(new([16]byte))
}

// gcPercentFor returns a multiple of 50, so that the percentage changes rarely. Each change stops the
// world for a moment.
func gcPercentFor(live uint64) int {
	if live == 0 {
		return maxGCPercent
	}
	headroom := (int64(targetHeap) - int64(live)) * 100 / int64(live) //nolint:gosec // bytes of a heap
	return int(min(max(headroom-headroom%50, minGCPercent), maxGCPercent))
}

func liveHeapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return targetHeap
	}
	return sample[0].Value.Uint64()
}
