package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// converter converts the rows of the reference table to catalog models.
type converter struct {
	providers []catalog.Provider
	sources   map[string]time.Time
	notes     io.Writer
}

func (c *converter) note(format string, args ...any) { fmt.Fprintf(c.notes, format+"\n", args...) }

// convert makes one model from all rows with the same weights. The models are in the order of
// the table, after the sandbox models.
func (c *converter) convert(rows []row) ([]catalog.Entry, error) {
	models, err := sandboxEntries()
	if err != nil {
		return nil, err
	}
	var families []string
	rowsByFamily := map[string][]row{}
	for _, r := range rows {
		if !c.isServable(r) {
			continue
		}
		if rowsByFamily[r.Family] == nil {
			families = append(families, r.Family)
		}
		rowsByFamily[r.Family] = append(rowsByFamily[r.Family], r)
	}
	for _, f := range families {
		m, err := c.convertModel(rowsByFamily[f])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		models = append(models, m)
	}
	return models, nil
}

// isServable reports whether an adapter can serve a row, and notes why not.
func (c *converter) isServable(r row) bool {
	if c.provider(r.Provider) == nil {
		c.note("skipped, no adapter for the provider: %s", r.ID)
		return false
	}
	return true
}

func (c *converter) provider(id string) *catalog.Provider {
	i := slices.IndexFunc(c.providers, func(p catalog.Provider) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &c.providers[i]
}

// makers lists the providers that sell their own models.
func makers() []string {
	return []string{"openai", "anthropic", "google", "mistral", "xai", "deepseek", "perplexity", "moonshot", "zai", "minimax", "voyage"}
}

// providerPreference returns a sort key: makers first, marketplaces last.
func providerPreference(r row) int {
	switch {
	case slices.Contains(makers(), r.Provider):
		return 0
	case r.Provider == "openrouter":
		return 2
	}
	return 1
}

// convertModel creates one model from all rows of its weights. Most values of the model come
// from the row with the most preferred provider. Endpoints list only the values that differ.
func (c *converter) convertModel(rows []row) (catalog.Entry, error) {
	slices.SortStableFunc(rows, func(a, b row) int { return providerPreference(a) - providerPreference(b) })
	first := rows[0]
	for i := range rows {
		rows[i].Efforts = withOpenAIEfforts(first, rows[i])
	}
	m := catalog.Entry{Model: catalog.Model{
		ID: modelID(first), Kind: kindOf(first), Context: first.Context,
		MaxOutput: min(first.MaxOutput, first.Context), Tokenizer: publicTokenizer(first.Family),
	}}
	if first.Family != m.ID {
		m.Family = first.Family
	}
	m.ModelInfo = modelInfo(rows)
	m.Aliases = listAliases(rows, m.ID)
	m.Capabilities, m.Unknown = c.unionCapabilities(rows)
	m.Efforts = supportedEfforts(first)
	m.OutputLength = outputLength(&m)
	m.Quality, m.QualitySource = qualityPrior(m.ID, rows)
	m.Benchmarks = listBenchmarks(rows)
	for i, r := range rows {
		prices, err := c.convertPrices(r)
		if err != nil {
			return m, fmt.Errorf("%s: %w", r.ID, err)
		}
		if i == 0 {
			m.Prices = prices
		}
		m.Endpoints = append(m.Endpoints, c.convertEndpoint(&m, r, prices))
	}
	return m, nil
}

// modelID returns the maker's name of the model. It returns the family if r belongs to another
// provider.
func modelID(r row) string {
	if slices.Contains(makers(), r.Provider) {
		return r.Upstream
	}
	return r.Family
}

func kindOf(r row) catalog.Kind {
	if r.Kind == "embedding" {
		return catalog.Embeddings
	}
	return catalog.Chat
}

// listAliases returns the family and the aliases in the table, except the model's id. The
// loader adds the names that endpoints use.
func listAliases(rows []row, id string) []string {
	var all []string
	add := func(name string) {
		if name != id && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	add(rows[0].Family)
	for _, r := range rows {
		for _, name := range r.Aliases {
			add(name)
		}
	}
	return all
}

func modelInfo(rows []row) catalog.ModelInfo {
	first := rows[0]
	a := catalog.ModelInfo{
		Name: first.Name, InputMedia: first.Modalities.Input, OutputMedia: first.Modalities.Output,
		Dimensions: first.Dimensions, KnowledgeCutoff: first.Knowledge,
		Lifecycle: catalog.Lifecycle{Status: catalog.Status(first.Status), Released: first.Released, Retires: first.Retires},
	}
	for _, r := range rows[1:] {
		a.KnowledgeCutoff = cmp.Or(a.KnowledgeCutoff, r.Knowledge)
		a.Released = cmp.Or(a.Released, r.Released)
	}
	if first.Upstream == "claude-sonnet-4-5" {
		a.Replacement = "claude-sonnet-5-5"
	}
	return a
}
