package soak

import (
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// cpuTimes returns the CPU time of each process so far, also that of the upstream. The upstream
// does the same work in each part, so its CPU time per request shows how fast the machine was.
func (s *soak) cpuTimes() (map[string]time.Duration, error) {
	all, err := procfs.List()
	if err != nil {
		return nil, err
	}
	times := map[string]time.Duration{rig.RoleUpstream: all.CPUTime(s.upstream.PID())}
	for name, pid := range s.processes() {
		times[name] = all.CPUTime(pid)
	}
	return times, nil
}

// perRequest returns the CPU time per request between two moments in microseconds, by process.
func perRequest(before, after map[string]time.Duration, requests int) map[string]float64 {
	cpu := map[string]float64{}
	if requests == 0 {
		return cpu
	}
	for name, used := range after {
		cpu[name] = stats.Micros(used-before[name]) / float64(requests)
	}
	return cpu
}
