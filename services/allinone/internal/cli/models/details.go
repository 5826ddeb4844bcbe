package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// modelRows returns all data of the catalog about a model and its endpoints. It also
// lists the capabilities that are unknown.
func modelRows(cat *catalog.Catalog, m catalog.Entry, now time.Time) [][]string {
	rows := [][]string{{m.ID, m.Name}}
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	add("kind", string(m.Kind))
	add("aliases", strings.Join(m.Aliases, ", "))
	add("weights", m.Family)
	add("context", fmt.Sprintf("%d tokens, maximum output %s", m.Context, orUnknown(m.MaxOutput)))
	add("modalities", strings.Join(m.InputMedia, ",")+" -> "+strings.Join(m.OutputMedia, ","))
	add("capabilities", formatCapabilities(m.Capabilities, nil))
	add("unknown", formatCapabilities(m.Unknown, nil))
	add("efforts", strings.Join(m.Efforts, ", "))
	if m.Dimensions > 0 {
		add("dimensions", strconv.FormatInt(m.Dimensions, 10))
	}
	add("tokenizer", m.Tokenizer)
	add("knowledge cutoff", m.KnowledgeCutoff)
	add("lifecycle", formatLifecycle(m.Lifecycle, now))
	add("quality", formatQuality(m.Quality))
	add("quality source", m.QualitySource)
	for _, e := range m.Endpoints {
		rows = append(rows, []string{""}, []string{"at " + e.Provider, e.Model})
		rows = append(rows, endpointRows(cat, m, e, now)...)
	}
	return append(rows, benchmarkRows(m.Benchmarks)...)
}

func orUnknown(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return strconv.FormatInt(n, 10) + " tokens"
}

func formatLifecycle(l catalog.Lifecycle, now time.Time) string {
	text := cmp.Or(string(l.Status), "unknown")
	if l.Released != "" {
		text += ", released " + l.Released
	}
	if end, err := time.Parse(time.DateOnly, l.Retires); err == nil {
		text += ", " + formatRetirement(l.Retires, int64(end.Sub(now.UTC().Truncate(24*time.Hour))/(24*time.Hour)))
	}
	if l.Replacement != "" {
		text += ", replaced by " + l.Replacement
	}
	return text
}

// formatRetirement describes a date that is a number of days in the future, or in the past
// if days is negative.
func formatRetirement(date string, days int64) string {
	switch {
	case days < 0:
		return fmt.Sprintf("retired %s (%s ago)", date, cli.CountNoun(-days, "day"))
	case days == 0:
		return fmt.Sprintf("retires %s (today)", date)
	}
	return fmt.Sprintf("retires %s (in %s)", date, cli.CountNoun(days, "day"))
}

func formatQuality(topics map[string]int64) string {
	var parts []string
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		parts = append(parts, fmt.Sprintf("%s 0.%03d", topic, topics[topic]))
	}
	return strings.Join(parts, ", ")
}

func endpointRows(cat *catalog.Catalog, m catalog.Entry, e catalog.Endpoint, now time.Time) [][]string {
	var rows [][]string
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	inForce, _ := catalog.PriceInForce(endpointPrices(m, e), now)
	for _, p := range endpointPrices(m, e) {
		label := "price since"
		switch {
		case p.Effective.After(now):
			label = "price from"
		case !p.Effective.Equal(inForce.Effective):
			label = "old price since"
		}
		add(label+" "+p.Effective.Format(time.DateOnly), formatPrice(p)+formatSource(cat, p.Source))
		for _, t := range p.Tiers {
			add(fmt.Sprintf("  above %d input tokens", t.Above), formatPrice(p.ForUsage(catalog.Usage{Input: t.Above + 1})))
		}
	}
	add("confidence", e.Confidence)
	if e.Context != 0 || e.MaxOutput != 0 {
		add("context", fmt.Sprintf("%d tokens, maximum output %s", cmp.Or(e.Context, m.Context), orUnknown(cmp.Or(e.MaxOutput, m.MaxOutput))))
	}
	add("lacks", formatCapabilities(e.Lacks, nil))
	add("unknown", formatCapabilities(e.Unknown, nil))
	for _, c := range e.Conflicts {
		add("sources disagree on "+c.Field, formatConflict(c))
	}
	add("note", e.Note)
	return rows
}

func formatPrice(p catalog.Price) string {
	text := fmt.Sprintf("$%s input, $%s output, $%s cache read, $%s cache write", catalog.FormatPerMillion(p.Input),
		catalog.FormatPerMillion(p.Output), catalog.FormatPerMillion(p.CacheRead), catalog.FormatPerMillion(p.CacheWrite))
	if p.CacheWrite1h != 0 {
		text += ", $" + catalog.FormatPerMillion(p.CacheWrite1h) + " one-hour cache write"
	}
	return text + " per 1M tokens"
}

func formatSource(cat *catalog.Catalog, id string) string {
	s, ok := cat.Source(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", s.Title, s.Date)
}

// formatConflict lists the value of each source. Prices are in US dollars per million
// tokens, sizes are in tokens.
func formatConflict(c catalog.Conflict) string {
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(c.Values)) {
		value := strconv.FormatInt(c.Values[id], 10)
		if c.Field != "context_window" && c.Field != "max_output" {
			value = "$" + catalog.FormatPerMillion(c.Values[id])
		}
		parts = append(parts, id+" "+value)
	}
	return strings.Join(parts, ", ")
}

func benchmarkRows(results []catalog.Benchmark) [][]string {
	if len(results) == 0 {
		return nil
	}
	rows := [][]string{{""}, {"benchmarks", "third-party results; results of different benchmarks cannot be compared"}}
	for _, f := range results {
		name := f.Name
		if f.Effort != "" {
			name += " (" + f.Effort + ")"
		}
		rows = append(rows, []string{"  " + name, strconv.FormatFloat(f.Value, 'f', -1, 64) + "  " + strings.TrimSpace(f.Date+" "+f.Source)})
	}
	return rows
}
