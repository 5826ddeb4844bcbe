package soak

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// memoryInterval is the time between two readings of the memory.
const memoryInterval = time.Second

// watchMemory reads the memory of processes until ctx ends. It returns the medians in MiB by name.
func watchMemory(ctx context.Context, processes map[string]int) map[string]float64 {
	readings := map[string][]float64{}
	tick := time.NewTicker(memoryInterval)
	defer tick.Stop()
	for {
		for name, pid := range processes {
			readings[name] = append(readings[name], procfs.ResidentMemory(pid))
		}
		select {
		case <-ctx.Done():
			return mediansOf(readings)
		case <-tick.C:
		}
	}
}

func mediansOf(readings map[string][]float64) map[string]float64 {
	medians := map[string]float64{}
	for name, values := range readings {
		medians[name] = stats.Median(values)
	}
	return medians
}
