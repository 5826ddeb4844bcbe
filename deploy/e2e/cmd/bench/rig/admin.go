package rig

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// The kinds of profiles.
const (
	ProfileCPU = "profile"
	// ProfileTrace is an execution trace. It shows what a request waits for.
	ProfileTrace = "trace"
)

// SaveProfile writes a profile of the proxy to a file.
func (s *Box) SaveProfile(ctx context.Context, kind, path string, seconds int) error {
	url := fmt.Sprintf("http://%s/debug/pprof/%s?seconds=%d", s.admin, kind, seconds)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: time.Minute}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", res.Status)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// ReadMetric returns the sum of a metric's values, or 0 if the process has no such metric.
func ReadMetric(ctx context.Context, admin, name string) (sum float64) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		return 0
	}
	client := &http.Client{Timeout: apiTimeout}
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
