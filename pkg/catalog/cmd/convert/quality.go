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

// topics are LiveBench's means under our names.
func topics() map[string]string {
	return map[string]string{
		"overall": "general", "Coding": "code", "Agentic Coding": "agentic", "Mathematics": "math",
		"Reasoning": "reasoning", "Data Analysis": "data", "Language": "language", "IF": "instructions",
	}
}

// usual are efforts, the first of which a model uses when it is told none, as
// near as the table has it.
func usual() []string {
	return []string{"default", "medium", "high", "thinking", "low", "none", "minimal", "thinking-64k", "xhigh", "thinking-64k-high"}
}

// prior is how good a model is taken to be before anything is learned: what
// LiveBench measured, else an estimate made by hand.
func prior(id string, rows []row) (map[string]int64, string) {
	if kind(rows[0]) == catalog.Embeddings {
		return nil, ""
	}
	for _, r := range rows {
		for _, effort := range usual() {
			if means, ok := r.Quality.LiveBench[effort]; ok {
				return thousandths(means), fmt.Sprintf("%s %s, effort %s", liveBench, liveBenchDate, effort)
			}
		}
	}
	if guess, ok := estimates()[id]; ok {
		return map[string]int64{"general": guess}, "estimate from its predecessor, its price and the figures"
	}
	return nil, ""
}

func thousandths(means map[string]float64) map[string]int64 {
	all := map[string]int64{}
	for name, topic := range topics() {
		all[topic] = int64(math.Round(means[name] * 10))
	}
	return all
}

// figures are all measurements of the table, in a fixed order.
func figures(rows []row) []catalog.Figure {
	var all []catalog.Figure
	add := func(f catalog.Figure) {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, r := range rows {
		q := r.Quality
		for _, effort := range slices.Sorted(maps.Keys(q.LiveBench)) {
			add(catalog.Figure{Name: "LiveBench overall", Effort: effort, Value: q.LiveBench[effort]["overall"], Source: "livebench.ai", Date: liveBenchDate})
		}
		for _, e := range []struct {
			name, date string
			elo        *elo
		}{{"Arena text Elo", "2026-04-19", q.ArenaText}, {"Arena code Elo", "2026-04-19", q.ArenaCode}, {"Arena text Elo", "2025-08", q.ArenaOld}} {
			if e.elo != nil {
				add(catalog.Figure{Name: e.name, Value: e.elo.Elo, Source: "lmarena.ai", Date: e.date})
			}
		}
		for _, x := range q.Reported {
			metric, effort, _ := strings.Cut(x.Metric, ":")
			add(catalog.Figure{Name: metric, Effort: effort, Value: x.Value, Source: x.Source})
		}
		for _, x := range q.Published {
			add(catalog.Figure{Name: x.Name, Value: x.Score, Source: x.Source})
		}
	}
	return all
}
