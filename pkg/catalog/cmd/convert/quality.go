package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"maps"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const liveBench, liveBenchDate = "LiveBench", "2026-01-08"

// topicNames maps LiveBench's categories to the catalog's topics.
func topicNames() map[string]string {
	return map[string]string{
		"overall": "general", "Coding": "code", "Agentic Coding": "agentic", "Mathematics": "math",
		"Reasoning": "reasoning", "Data Analysis": "data", "Language": "language", "IF": "instructions",
	}
}

// defaultEfforts lists LiveBench's efforts. The efforts that are most likely a model's default
// come first.
func defaultEfforts() []string {
	return []string{"default", "medium", "high", "thinking", "low", "none", "minimal", "thinking-64k", "xhigh", "thinking-64k-high"}
}

// qualityPrior returns the assumed quality of a model by topic, before any quality is learned. It
// is LiveBench's measurement or else an estimate. The second result describes the source.
func qualityPrior(id string, rows []row) (map[string]int64, string) {
	if kindOf(rows[0]) == catalog.Embeddings {
		return nil, ""
	}
	for _, r := range rows {
		for _, effort := range defaultEfforts() {
			if means, ok := r.Quality.LiveBench[effort]; ok {
				return toThousandths(means), fmt.Sprintf("%s %s, effort %s", liveBench, liveBenchDate, effort)
			}
		}
	}
	if guess, ok := estimates()[id]; ok {
		return map[string]int64{"general": guess}, "estimate from its predecessor, its price and its benchmarks"
	}
	return nil, ""
}

func toThousandths(means map[string]float64) map[string]int64 {
	all := map[string]int64{}
	for name, topic := range topicNames() {
		all[topic] = int64(math.Round(means[name] * 10))
	}
	return all
}

// listBenchmarks returns the measurements of a model's rows without duplicates, in a fixed order.
func listBenchmarks(rows []row) []catalog.Benchmark {
	var all []catalog.Benchmark
	add := func(f catalog.Benchmark) {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, r := range rows {
		q := r.Quality
		for _, effort := range slices.Sorted(maps.Keys(q.LiveBench)) {
			add(catalog.Benchmark{Name: "LiveBench overall", Effort: effort, Value: q.LiveBench[effort]["overall"], Source: "livebench.ai", Date: liveBenchDate})
		}
		for _, e := range []struct {
			name, date string
			elo        *elo
		}{{"Arena text Elo", "2026-04-19", q.ArenaText}, {"Arena code Elo", "2026-04-19", q.ArenaCode}, {"Arena text Elo", "2025-08", q.ArenaOld}} {
			if e.elo != nil {
				add(catalog.Benchmark{Name: e.name, Value: e.elo.Elo, Source: "lmarena.ai", Date: e.date})
			}
		}
		for _, x := range q.Reported {
			metric, effort, _ := strings.Cut(x.Metric, ":")
			add(catalog.Benchmark{Name: metric, Effort: effort, Value: x.Value, Source: x.Source})
		}
		for _, x := range q.Published {
			add(catalog.Benchmark{Name: x.Name, Value: x.Score, Source: x.Source})
		}
	}
	return all
}
