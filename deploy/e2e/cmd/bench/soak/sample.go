package soak

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// partSample describes one part.
type partSample struct {
	served, failed, faulty int
	firstErr               error
	p50, p99               float64
	// forwardP99 is the p99 of the ReverseProxy.
	forwardP99 float64
	// resident is the median memory during the part in MiB, by process. A single value would depend on
	// the time since the last garbage collection. goroutines is 0 for processes that are not ours.
	resident, goroutines, files map[string]float64
	// cpu is the CPU time per request in microseconds, by process.
	cpu map[string]float64
	// spool and store are sizes in bytes. records is how many the ledger has.
	spool, store, redis, records float64
}

func (s *soak) sample(ctx context.Context, o partOutcome, resident map[string]float64) (partSample, error) {
	sample := partSample{
		served: len(o.Took), failed: o.Failed, faulty: o.faulty, firstErr: o.FirstErr, p50: traffic.Percentile(o.Took, 50, traffic.Whole), p99: traffic.Percentile(o.Took, 99, traffic.Whole),
		forwardP99: traffic.Percentile(o.forwarded.Took, 99, traffic.Whole),
		resident:   resident, goroutines: map[string]float64{}, files: map[string]float64{},
	}
	for name, pid := range s.processes() {
		sample.files[name] = float64(procfs.CountFiles(pid))
		if admin, err := procfs.ReadEnv(pid, "SIGNALBOX_ADMIN"); err == nil {
			sample.goroutines[name] = rig.ReadMetric(ctx, admin, "go_goroutines")
			sample.spool += rig.ReadMetric(ctx, admin, "signalbox_spool_size_bytes")
		}
	}
	sample.redis = sample.resident["redis"] * (1 << 20)
	if pid, ok := s.box.Others["postgres"]; ok {
		// The write-ahead log next to it is recycled, so its size says nothing about records.
		sample.store = directorySize(fmt.Sprintf("/proc/%d/cwd/base/", pid))
	}
	got, err := s.box.AwaitRecords(ctx, 0)
	sample.records = float64(got.Requests)
	return sample, err
}

func directorySize(dir string) (size float64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // files come and go
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += float64(info.Size())
		}
		return nil
	})
	return size
}
