package decide_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// sessionQuestion is a turn of a session of the policy wide, with everything that is known of
// a long session.
func sessionQuestion() decide.Question {
	now := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	last := decide.Candidate{Model: "m2", Provider: "sandbox"}
	s := &decide.Session{Last: &last, LastAt: now.Unix() - 20, Turns: 12, MarksCache: true, AddedTokens: 1500, OutputTokens: 300}
	for _, model := range []string{"m2", "m4", "m1", "m3"} {
		s.Cached = append(s.Cached, decide.CachedPrefix{Candidate: decide.Candidate{Model: model, Provider: "sandbox"}, Tokens: 40_000, Expires: now.Unix() + 200})
	}
	used := int64(400)
	return decide.Question{
		Kind: catalog.Chat, Model: "auto", InputTokens: 42_000, Needs: []catalog.Capability{catalog.Tools}, Features: decide.NamedValuesFromMap(map[string]int64{"turns": 3}),
		At: now, BudgetUsed: &used, Metadata: map[string]string{"purpose": "chat"}, Session: s,
		Caller: decide.Caller{Tags: []string{"eu"}}, Qualities: decide.NamedValuesFromMap(map[string]int64{"m0": 500, "m2": 700, "m4": 650}),
	}
}

// wideWithCache is the policy wide, with a provider that caches and a strategy.
func wideWithCache(n int, strategy string) string {
	document := strings.Replace(wide(n), "sandbox: {tags: [eu]}", "sandbox: {tags: [eu], cache: {mode: automatic}}", 1)
	return strings.Replace(document, "strategy: balanced", "strategy: "+strategy, 1)
}

// A session adds no allocations to a decision. The fewest of many runs count, because garbage
// collection and, at random, the race detector empty the pools.
func TestASessionTakesNoMemory(t *testing.T) {
	for _, strategy := range []string{"balanced", "cheapest"} {
		p := compiled(t, wideWithCache(5, strategy))
		var d decide.Decision
		count := func(q decide.Question) float64 {
			fewest := math.Inf(1)
			for range 100 {
				fewest = min(fewest, testing.AllocsPerRun(1, func() { require.NoError(t, decide.DecideInto(&d, p, &q, decide.AllHealthy{})) }))
			}
			return fewest
		}
		with := sessionQuestion()
		without, loop := with, with
		without.Session = nil
		open := *with.Session
		open.ToolLoop = true
		loop.Session = &open
		require.LessOrEqual(t, count(with), count(without), strategy)
		require.LessOrEqual(t, count(loop), count(without), strategy)
	}
}

// BenchmarkDecideSession compares decisions without a session, with one, and in a tool loop.
func BenchmarkDecideSession(b *testing.B) {
	for _, n := range []int{5, 50} {
		for _, strategy := range []string{"balanced", "cheapest"} {
			p := compiled(b, wideWithCache(n, strategy))
			for _, kind := range []string{"none", "session", "loop"} {
				q := sessionQuestion()
				q.Session.ToolLoop = kind == "loop"
				if kind == "none" {
					q.Session = nil
				}
				b.Run(fmt.Sprintf("candidates=%d/%s/%s", n, strategy, kind), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := decide.Decide(p, q, decide.AllHealthy{}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
