package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// wide is a policy with rules and the given number of candidates.
func wide(n int) string {
	var b strings.Builder
	b.WriteString("version: 1\nproviders: {sandbox: {tags: [eu]}}\nmodels:\n")
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("m%d", i))
		fmt.Fprintf(&b, "  m%d: {endpoints: [{provider: sandbox, model: x}], price: {input: \"0.%d\", output: \"2\"}, context: 100000, capabilities: [tools], quality: {general: 0.%d}}\n", i, n-i+1, 400+i)
	}
	fmt.Fprintf(&b, `defaults: {baseline: m0, unlisted: deny}
routes:
  auto:
    require: [{provider.tag: eu}]
    select:
      - {when: {key.tag: legal}, target: m0}
      - {when: {budget.used_percent: {gte: 95}}, target: m1}
      - {when: {request.metadata.purpose: batch, time.utc: "08:00-18:00"}, deny: later}
      - {strategy: balanced, candidates: [%s], min_quality: 0.402}
    on_failure: [m0, m1]
`, strings.Join(names, ", "))
	return b.String()
}

// Decisions reuse pooled memory. Earlier decisions must stay unchanged.
func TestADecisionIsNotChangedByLaterOnes(t *testing.T) {
	p := compiled(t, wide(5))
	ask := func(q decide.Question) *decide.Decision {
		d, err := decide.Decide(p, q, decide.AllHealthy{})
		require.NoError(t, err)
		return d
	}
	auto := decide.Question{Kind: catalog.Chat, Model: "auto", Needs: []catalog.Capability{catalog.Tools, catalog.Tools}}
	first := ask(auto)
	was := encode(t, first, nil)
	ask(decide.Question{Kind: catalog.Chat, Model: "m1", InputTokens: 700})
	ask(decide.Question{Kind: catalog.Chat, Model: "auto", Caller: decide.Caller{Tags: []string{"legal"}}})
	_, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "auto", Needs: []catalog.Capability{catalog.Vision}}, decide.AllHealthy{})
	require.Error(t, err)
	require.Equal(t, was, encode(t, first, nil))
	require.Equal(t, was, encode(t, ask(auto), nil))
}

// A decision runs for every request. It allocates only the plan, the verdicts and a sentence.
// The bound allows for pools that are emptied by garbage collection and, at random, by the
// race detector.
func TestADecisionTakesLittleMemory(t *testing.T) {
	p := compiled(t, wide(5))
	q := decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 500, Qualities: decide.NamedValuesFromMap(map[string]int64{"m2": 700})}
	var d decide.Decision
	decided := func() {
		if err := decide.DecideInto(&d, p, &q, decide.AllHealthy{}); err != nil {
			t.Fatal(err)
		}
	}
	require.Less(t, testing.AllocsPerRun(100, decided), 12.0)
}

// BenchmarkDecide prints the time of a decision in process: p50 and p99 beside the mean.
func BenchmarkDecide(b *testing.B) {
	used := int64(400)
	q := decide.Question{
		Kind: catalog.Chat, Model: "auto", InputTokens: 500, Needs: []catalog.Capability{catalog.Tools}, Features: decide.NamedValuesFromMap(map[string]int64{"turns": 3}),
		At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), BudgetUsed: &used, Metadata: map[string]string{"purpose": "chat"},
		Caller: decide.Caller{Tags: []string{"eu"}}, Qualities: decide.NamedValuesFromMap(map[string]int64{"m0": 500, "m2": 700, "m4": 650}),
	}
	for _, n := range []int{5, 50} {
		p := compiled(b, wide(n))
		b.Run(fmt.Sprintf("candidates=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			took := make([]time.Duration, 0, 1<<20)
			for b.Loop() {
				began := time.Now()
				if _, err := decide.Decide(p, q, decide.AllHealthy{}); err != nil {
					b.Fatal(err)
				}
				if len(took) < cap(took) {
					took = append(took, time.Since(began))
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
	explicit := q
	explicit.Model = "m1"
	p := compiled(b, wide(5))
	b.Run("explicit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decide.Decide(p, explicit, decide.AllHealthy{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
