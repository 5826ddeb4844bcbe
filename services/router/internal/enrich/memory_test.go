package enrich_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
)

// loadsWeights is set in the processes that BenchmarkWeightsMemory starts: yes or no.
const loadsWeights = "SIGNALBOX_BENCH_LOADS_WEIGHTS"

// BenchmarkWeightsMemory compares the resident memory of two processes. Both enrich a question,
// one with the shipped weights and one without.
func BenchmarkWeightsMemory(b *testing.B) {
	if loads := os.Getenv(loadsWeights); loads != "" {
		fmt.Println(residentAfterUse(b, loads == "yes"))
		return
	}
	var with, without float64
	for b.Loop() {
		with, without = residentOf(b, "yes"), residentOf(b, "no")
	}
	b.ReportMetric(with, "MiB-with")
	b.ReportMetric(without, "MiB-without")
	b.ReportMetric(with-without, "MiB-more")
}

// residentOf returns the resident memory of a process of this benchmark, in MiB.
func residentOf(b *testing.B, loads string) float64 {
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkWeightsMemory$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), loadsWeights+"="+loads)
	out, err := cmd.Output()
	require.NoError(b, err)
	for line := range strings.Lines(string(out)) {
		// The benchmark prints its name in front of the first line of its output.
		fields := strings.Fields(line)
		if n, err := strconv.ParseFloat(fields[len(fields)-1], 64); err == nil {
			return n / 1024
		}
	}
	b.Fatalf("no figure in %s", out)
	return 0
}

// residentAfterUse returns the resident memory of this process in KiB.
func residentAfterUse(b *testing.B, loads bool) int64 {
	cat, err := catalog.Load()
	require.NoError(b, err)
	e := enrich.NewWith(cat, enrich.Weights{})
	if loads {
		e = enrich.New(cat)
	}
	e.Enrich(&policy.Policy{}, decide.Question{Kind: catalog.Chat}, strings.Repeat("How many apples does Tom have left? ", 60))
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	_, rest, _ := bytes.Cut(status, []byte("\nVmRSS:"))
	n, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	require.NoError(b, err)
	return n
}
