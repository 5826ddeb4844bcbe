package decide_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// sessionMixes returns the kinds of sessions that the documentation shows. qwen3.8-27b has the
// lowest price per token without a cache, and no discount for cached tokens.
func sessionMixes() []sessionMix {
	day := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	usual := []string{"qwen3.8-27b", "gpt-6.1-terra", "claude-opus-5-5"}
	agent := sessionMix{models: usual, starts: day, prefix: 12_000, turns: [2]int{40, 40}, loop: [2]int{2, 12}, pause: [2]int{10, 200}}
	vary := func(name string, change func(*sessionMix)) sessionMix {
		m := agent
		m.name = name
		change(&m)
		return m
	}
	return []sessionMix{
		vary("agent, 40 turns", func(*sessionMix) {}),
		vary("agent, 1 to 3 turns", func(m *sessionMix) { m.turns = [2]int{1, 3} }),
		vary("agent, 2 to 8 turns", func(m *sessionMix) { m.turns = [2]int{2, 8} }),
		vary("agent, 1 to 120 turns", func(m *sessionMix) { m.turns = [2]int{1, 120}; m.models = []string{"gpt-6.1-terra", "claude-opus-5-5"} }),
		vary("agent, small prefix (1,200 tokens)", func(m *sessionMix) { m.prefix = 1_200 }),
		vary("agent, large prefix (60,000 tokens), 20 turns", func(m *sessionMix) { m.prefix, m.turns = 60_000, [2]int{20, 20} }),
		vary("agent, pauses of 10 to 40 minutes between tasks", func(m *sessionMix) { m.longPauses = 100 }),
		vary("agent, every third pause is long", func(m *sessionMix) { m.longPauses = 33 }),
		vary("agent, 40 % of the tasks need the large model", func(m *sessionMix) { m.hard = 40 }),
		vary("agent, hard tasks and long pauses", func(m *sessionMix) { m.hard, m.longPauses = 25, 33 }),
		vary("agent, cheap model has a cache", func(m *sessionMix) {
			m.models = []string{"claude-haiku-5-5", "gpt-6.1-terra", "claude-opus-5-5"}
			m.hard = 25
		}),
		vary("agent, side calls", func(m *sessionMix) { m.sideCalls = true }),
		vary("agent, a promotion ends during the session", func(m *sessionMix) {
			m.models, m.starts = []string{"gemini-3.8-flash", "gpt-6.1-terra", "claude-opus-5-5"}, time.Date(2026, 12, 31, 23, 50, 0, 0, time.UTC)
		}),
		vary("agent, two models, the large one has the cache", func(m *sessionMix) { m.models = []string{"qwen3.8-27b", "claude-sonnet-5-5"} }),
		vary("chat, 2 to 20 turns", func(m *sessionMix) { m.prefix, m.turns, m.loop = 2_000, [2]int{2, 20}, [2]int{1, 1} }),
		vary("chat, every pause is long", func(m *sessionMix) { m.prefix, m.turns, m.loop, m.longPauses = 4_000, [2]int{2, 20}, [2]int{1, 1}, 100 }),
	}
}

// simulatedCosts are the average costs of a session of each mix under every routing.
var simulatedCosts = sync.OnceValue(func() (all [][routings]int64) {
	for i, m := range sessionMixes() {
		all = append(all, m.cost(100, uint64(i)))
	}
	return all
})

// Routing by the cost of the session is the cheapest way in at least nine of ten mixes, and
// never more than 2 % above the cheapest way.
func TestSessionCostsAreTheLowest(t *testing.T) {
	mixes, least := sessionMixes(), 0
	for i, cost := range simulatedCosts() {
		best := slices.Min(cost[:])
		if cost[cacheAware] == best {
			least++
		}
		require.LessOrEqual(t, cost[cacheAware], best+best/50, mixes[i].name)
	}
	require.GreaterOrEqual(t, len(mixes), 10)
	require.GreaterOrEqual(t, 10*least, 9*len(mixes), "%d of %d", least, len(mixes))
}

func TestSessionCostReferenceIsCurrent(t *testing.T) {
	rows := [][]string{{"sessions", "models", "always large", "cheapest request", "affinity", "session"}}
	for i, cost := range simulatedCosts() {
		m := &sessionMixes()[i]
		row := []string{m.name, strings.Join(m.models, ", ")}
		for routing, nano := range cost {
			text := fmt.Sprintf("$%.4f", float64(nano)/1e9)
			if routing == cacheAware {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	docsref.Check(t, "design/sessions.md", "session-costs", docsref.Table(rows))
	rows = [][]string{{"random mixes", "session is cheapest", "at most 2 % above the cheapest", "largest excess", "always large", "cheapest request", "affinity", "session"}}
	for i, r := range mixResults() {
		set := &mixSets[i]
		rows = append(rows, []string{
			strconv.Itoa(set.size()) + ", " + set.name, fmt.Sprintf("%d %%", 100*r.least/set.size()), fmt.Sprintf("%d %%", 100*r.near/set.size()),
			fmt.Sprintf("%.0f %%", r.worst), "100 %", percentOf(r.total, cheapestRequest), percentOf(r.total, affinityOnly), "**" + percentOf(r.total, cacheAware) + "**",
		})
	}
	docsref.Check(t, "design/sessions.md", "session-random", docsref.Table(rows))
}

func percentOf(total [routings]int64, routing int) string {
	return fmt.Sprintf("%d %%", (100*total[routing]+total[alwaysLarge]/2)/total[alwaysLarge])
}
