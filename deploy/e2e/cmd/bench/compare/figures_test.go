package compare

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

func TestComputeFigures(t *testing.T) {
	var o traffic.Outcome
	for i := range 200 {
		o.Add(traffic.Timing{First: time.Microsecond, Whole: time.Duration(200-i) * time.Microsecond}, nil)
	}
	o.Lasted = 2 * time.Second
	ms := time.Millisecond
	f := computeFigures(o,
		cpuSample{others: map[string]time.Duration{"redis": 5 * ms}},
		cpuSample{peer: 20 * ms, ours: 30 * ms, busy: 130 * ms, whole: time.Second, others: map[string]time.Duration{"redis": 6 * ms}},
		cpuSample{peer: 24 * ms, others: map[string]time.Duration{"redis": 7 * ms}})
	require.InDelta(t, 100, f.Rate, 0)
	require.InDelta(t, 120, f.CPU, 0, "includes the work after the last response")
	require.InDelta(t, 20, f.Later, 0)
	require.InDelta(t, 10, f.Others["redis"], 0)
	require.InDelta(t, 100, f.P50, 0)
	require.InDelta(t, 198, f.P99, 0)
	require.InDelta(t, 1, f.First, 0)
	require.InDelta(t, 10, f.Foreign, 1e-9)
}

func TestIdle(t *testing.T) {
	last := cpuSample{peer: time.Second, others: map[string]time.Duration{"redis": time.Second}}
	require.True(t, isIdle(last, last))
	require.False(t, isIdle(last, cpuSample{peer: time.Second + 2*procfs.Tick}))
	require.False(t, isIdle(last, cpuSample{peer: time.Second, others: map[string]time.Duration{"redis": time.Second + 2*procfs.Tick}}))
}

// newMeasuredBench returns a bench with the results of three rounds of two loads.
func newMeasuredBench(t *testing.T) (*bench, *bytes.Buffer) {
	var out bytes.Buffer
	b, err := newBench(&out, []string{"-bin", t.TempDir(), "-split", "split"})
	require.NoError(t, err)
	b.results = map[string]map[string][]figures{
		nameDirect:   {traffic.LoadSteady: {{P50: 100}, {P50: 300}, {P50: 100}}},
		nameForward:  {traffic.LoadSteady: {{P50: 350}, {P50: 550}, {P50: 350}}, traffic.LoadChat: {{CPU: 80}}},
		nameExplicit: {traffic.LoadSteady: {{P50: 410}, {P50: 600}, {P50: 400}}, traffic.LoadChat: {{CPU: 99, Failed: 2}, {CPU: 121}, {CPU: 130, Failed: 1}}},
		nameAuto:     {traffic.LoadSteady: {{P50: 600}, {P50: 500}, {P50: 500}}, traffic.LoadChat: {{CPU: 121, Others: map[string]float64{"redis": 3, "router": 4}}}},
	}
	return b, &out
}

func TestTargets(t *testing.T) {
	b, out := newMeasuredBench(t)
	b.printTargets()
	text := out.String()
	require.Regexp(t, `(?m)^ *chat 2 KB, CPU us +explicit +- +80 +121 +99-130 +1.24 +1.24-1.24 +<= 1.25 x +met +<= 0.6 x *$`, text, "the ratio compares the same round")
	require.Regexp(t, `(?m)^ *chat 2 KB, CPU us +auto +- +80 +121 +121-121 +1.51 +1.51-1.51 +<= 1.8 x +met +<= 0.6 x *$`, text, "auto has its own limits")
	require.Regexp(t, `(?m)^ *at 200/s, added p50 +explicit +- +250 +300 +300-310 +1.20 +1.20-1.24 +<= 1.3 x +met +<= 0.8 x *$`, text, "added is the difference in each round")
	require.Regexp(t, `(?m)^ *at 200/s, added p50 +auto +- +250 +400 +200-500 .* <= 550 +met `, text)
	b.results[nameForward][traffic.LoadChat][0].CPU = 70
	out.Reset()
	b.printTargets()
	require.Regexp(t, `(?m)^ *chat 2 KB, CPU us +explicit .* NOT met `, out.String())
	delete(b.results, nameForward)
	out.Reset()
	b.printTargets()
	require.Regexp(t, `(?m)^ *chat 2 KB, CPU us +explicit +- +- +121 +99-130 +- +- +<= 1.25 x +<= 0.6 x *$`, out.String(), "no result without the plain Go proxy")
}

func TestTables(t *testing.T) {
	b, out := newMeasuredBench(t)
	b.printTable(contextColumns())
	require.Regexp(t, `(?m)^ *nginx +- +- +- `, out.String(), "not measured")
	require.Regexp(t, `(?m)^ *explicit .* 3 +0 *$`, out.String(), "failures of all rounds")
	require.Regexp(t, `(?m)^ *auto +0 +7 `, out.String(), "others add up")
	delete(b.results, nameDirect)
	_, ok := b.columnValue(nameAuto, targetColumns()[1])
	require.False(t, ok, "without direct there is no added time")
}

// The largest of several loads counts, in all its rounds.
func TestColumnOfSeveralLoads(t *testing.T) {
	b, _ := newMeasuredBench(t)
	b.results[nameExplicit] = map[string][]figures{traffic.Load500KB: {{RSS: 90}, {RSS: 10}, {RSS: 10}}, traffic.Load1MB: {{RSS: 20}, {RSS: 30}, {RSS: 40}}}
	require.Equal(t, []float64{20, 30, 40}, b.columnRounds(nameExplicit, column{loads: []string{traffic.Load500KB, traffic.Load1MB}, of: rssOf}))
}

func TestReport(t *testing.T) {
	b, out := newMeasuredBench(t)
	b.priorityErr = os.ErrPermission
	require.NoError(t, b.report(time.Minute))
	require.Contains(t, out.String(), "SCHED_RR is not available")
	text, err := os.ReadFile(filepath.Join(b.bin, "bench-split.json"))
	require.NoError(t, err)
	var got struct {
		Shape   string
		Table   []targetRow
		Results map[string]map[string][]figures
	}
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, "split", got.Shape)
	require.Contains(t, got.Table, targetRow{
		Figure: "chat 2 KB, CPU us", Peer: nameAuto, Forward: stats.NewSpread([]float64{80}), Value: stats.NewSpread([]float64{121}),
		Ratio: stats.NewSpread([]float64{1.5125}), Must: "<= 1.8 x", Aim: "<= 0.6 x", Met: new(true),
	})
	require.Equal(t, 2, got.Results[nameExplicit][traffic.LoadChat][0].Failed)
	b.problems = []string{"one"}
	require.ErrorIs(t, b.report(time.Minute), errInvalidFigures)
}

// The limit of an agent load is a multiple of the gateway's own figure for chat completions.
func TestAgentColumns(t *testing.T) {
	var out bytes.Buffer
	b, err := newBench(&out, []string{"-bin", t.TempDir(), "-peers", nameExplicit})
	require.NoError(t, err)
	b.results[nameExplicit] = map[string][]figures{traffic.LoadAgent + traffic.ProtocolChat: {{CPU: 100}}, traffic.LoadAgent + traffic.ProtocolMessages: {{CPU: 131}}, traffic.LoadAgent + traffic.ProtocolGemini: {{CPU: 130}}}
	b.printTargets()
	require.Regexp(t, `(?m)messages CPU us +explicit .* <= 1.3 x agent-chat +NOT met *$`, out.String())
	require.Regexp(t, `(?m)gemini CPU us +explicit .* <= 1.3 x agent-chat +met *$`, out.String())
}
