package main

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// soakSample is the state after one part.
type soakSample struct {
	served, failed, faulty int
	firstErr               error
	p50, p99               float64
	// resident is the memory in MiB, by process. goroutines is 0 for processes that are not ours.
	resident, goroutines, files map[string]float64
	// spool and store are sizes in bytes. records is how many the ledger has.
	spool, store, redis, records float64
}

func (s *soak) sample(ctx context.Context, o partOutcome) (soakSample, error) {
	sample := soakSample{
		served: len(o.took), failed: o.failed, faulty: o.faulty, firstErr: o.firstErr, p50: percentile(o.took, 50, whole), p99: percentile(o.took, 99, whole),
		resident: map[string]float64{}, goroutines: map[string]float64{}, files: map[string]float64{},
	}
	for name, pid := range s.processes() {
		sample.resident[name] = residentMemory(pid)
		sample.files[name] = float64(countFiles(pid))
		if admin, err := readProcessEnv(pid, "SIGNALBOX_ADMIN"); err == nil {
			sample.goroutines[name] = readMetric(ctx, admin, "go_goroutines")
			sample.spool += readMetric(ctx, admin, "signalbox_spool_size_bytes")
		}
	}
	sample.redis = sample.resident["redis"] * (1 << 20)
	if pid, ok := s.box.others["postgres"]; ok {
		sample.store = directorySize(fmt.Sprintf("/proc/%d/cwd/", pid))
	}
	got, err := s.box.awaitRecords(ctx, 0)
	sample.records = float64(got.Requests)
	return sample, err
}

// residentMemory returns the resident memory of a process and its children in MiB.
func residentMemory(pid int) (mib float64) {
	all, err := listProcesses()
	if err != nil {
		return 0
	}
	for _, id := range all.processTree(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", id))
		if fields := strings.Fields(string(text)); len(fields) > 2 {
			resident, _ := strconv.ParseFloat(fields[1], 64)
			shared, _ := strconv.ParseFloat(fields[2], 64)
			mib += (resident - shared) * float64(os.Getpagesize()) / (1 << 20)
		}
	}
	return mib
}

func countFiles(pid int) int {
	names, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(names)
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

// readMetric returns the sum of a metric's values, or 0 if the process has no such metric.
func readMetric(ctx context.Context, admin, name string) (sum float64) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		return 0
	}
	client := &http.Client{Timeout: requestTimeout}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if metric, value, ok := strings.Cut(lines.Text(), " "); ok && (metric == name || strings.HasPrefix(metric, name+"{")) {
			v, _ := strconv.ParseFloat(value, 64)
			sum += v
		}
	}
	return sum
}
