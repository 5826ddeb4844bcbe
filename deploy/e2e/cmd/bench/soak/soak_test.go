package soak

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSoakReport(t *testing.T) {
	var out bytes.Buffer
	s := &soak{out: &out}
	for i := range parts {
		s.samples = append(s.samples, partSample{
			p99: 1000 + 20*float64(i), forwardP99: 500 + 10*float64(i), records: 100 * float64(i), store: 1e6 * float64(i),
			resident: map[string]float64{"proxy-1": 50, "router": 50 + 20*float64(i)}, goroutines: map[string]float64{"proxy-1": 40}, files: map[string]float64{"proxy-1": 30},
			cpu: map[string]float64{"upstream": 20 + 2*float64(i)},
		})
	}
	for i, ratio := range map[int]float64{2: 2.25, 3: 2.25, 4: 9, 6: 2.75, 7: 9, 8: 2.75} {
		s.samples[i].p99 = ratio * s.samples[i].forwardP99
	}
	s.report()
	require.Regexp(t, `(?m)proxy-1 memory MiB +50.0 +50.0 +met`, out.String())
	require.Regexp(t, `(?m)router memory MiB +70.0 +230.0 +NOT met`, out.String())
	require.Regexp(t, `(?m)upstream CPU us per request +22.0 +38.0 +NOT met`, out.String())
	require.Regexp(t, `(?m)p99 us +1020.0 +1180.0 +NOT met`, out.String())
	require.Regexp(t, `(?m)p99, multiple of ReverseProxy's +2.00 +2.00 +met`, out.String())
	require.Regexp(t, `(?m)the same, medians of parts 2-5 and 7-10 +2.25 +2.75 +NOT met`, out.String())
	require.Regexp(t, `(?m)store bytes per record +10000.0 +10000.0 +met`, out.String())
}

func TestAPartThatWasNotMeasuredHasNoMedian(t *testing.T) {
	s := &soak{}
	for _, forward := range []float64{1, 1, 0, 1} {
		s.samples = append(s.samples, partSample{p99: 1, forwardP99: forward})
	}
	require.Zero(t, s.medianRatio(0))
}

func TestAReverseProxyThatServedNothingIsNoPeer(t *testing.T) {
	require.False(t, isFlat(partSample{p99: 1000}.p99Ratio(), partSample{p99: 1000}.p99Ratio(), 0))
}

func TestCPUTimePerRequest(t *testing.T) {
	before := map[string]time.Duration{"router": time.Second}
	after := map[string]time.Duration{"router": 3 * time.Second, "redis": time.Second}
	require.Equal(t, map[string]float64{"router": 200, "redis": 100}, perRequest(before, after, 10_000))
	require.Empty(t, perRequest(before, after, 0))
}

func TestDirectorySize(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/a", make([]byte, 100), 0o600))
	require.InDelta(t, 100, directorySize(dir), 0)
}

func TestMemoryIsTheMedianOfItsReadings(t *testing.T) {
	got := mediansOf(map[string][]float64{"proxy-1": {30, 50, 31}, "router": {20}})
	require.Equal(t, map[string]float64{"proxy-1": 31, "router": 20}, got)
}

func TestMemoryIsReadAtLeastOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Positive(t, watchMemory(ctx, map[string]int{"self": os.Getpid()})["self"])
}

func TestAProcessThatEndedIsNotFlat(t *testing.T) {
	require.False(t, isFlat(50, 0, smallSlack))
	require.False(t, isFlat(0, 50, 100), "it was not measured in the second part")
	require.True(t, isFlat(50, 40, 0))
}
