package predict_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// BenchmarkPredict predicts six models for texts of 2 kB: a story that repeats its words, a page
// whose words differ, and the same page after a polite sentence, without which it is read again.
func BenchmarkPredict(b *testing.B) {
	card, err := os.ReadFile("WEIGHTS.md")
	require.NoError(b, err)
	page := strings.TrimSpace(string(card[:2000]))
	for name, text := range map[string]string{
		"story": strings.Repeat(apples+" ", 20)[:2000], "page": page, "polite": "Could you please help me with this? " + page,
	} {
		b.Run(name, func(b *testing.B) { benchmarkText(b, text) })
	}
}

func benchmarkText(b *testing.B, text string) {
	p := load(b)
	v := features.NewReader().Read(text)
	f := v.AppendTo(nil)
	var scratch predict.Scratch
	out := make(decide.NamedValues, 0, 80)
	took := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	used := cpuTime(b)
	for b.Loop() {
		began := time.Now()
		got := p.AppendFeatures(append(out[:0], f...), &scratch, text)
		for ability := int64(300); ability < 900; ability += 100 {
			p.FromFeatures(got, ability)
		}
		if len(took) < cap(took) {
			took = append(took, time.Since(began))
		}
	}
	// On a loaded machine the CPU time says more than the time that passed.
	b.ReportMetric(float64(cpuTime(b)-used)/float64(b.N)/1000, "cpu-us/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-us")
}

// cpuTime returns the CPU time of this process in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var use syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return use.Utime.Nano() + use.Stime.Nano()
}

func BenchmarkLoad(b *testing.B) {
	file, err := os.ReadFile("learned.weights")
	require.NoError(b, err)
	used := cpuTime(b)
	for b.Loop() {
		_, err := predict.New(file)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(cpuTime(b)-used)/float64(b.N)/1e6, "cpu-ms/op")
}
