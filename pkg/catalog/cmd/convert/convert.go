package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// converter turns rows into models.
type converter struct {
	providers []catalog.Provider
	sources   map[string]time.Time
	notes     io.Writer
}

func (c *converter) note(format string, args ...any) { fmt.Fprintf(c.notes, format+"\n", args...) }

// convert groups the rows that sell the same weights into one model each, in
// the order of the table.
func (c *converter) convert(rows []row) ([]catalog.Entry, error) {
	models, err := sandbox()
	if err != nil {
		return nil, err
	}
	var families []string
	places := map[string][]row{}
	for _, r := range rows {
		if !c.servable(r) {
			continue
		}
		if places[r.Family] == nil {
			families = append(families, r.Family)
		}
		places[r.Family] = append(places[r.Family], r)
	}
	for _, f := range families {
		m, err := c.model(places[f])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		models = append(models, m)
	}
	return models, nil
}

// servable leaves out what has no adapter: providers of formats that are not
// spoken, and models behind another API than chat completions.
func (c *converter) servable(r row) bool {
	switch {
	case c.provider(r.Provider) == nil:
		c.note("left out, no adapter: %s", r.ID)
	case slices.Contains(responsesOnly(), r.ID):
		c.note("left out, the Responses API alone has it: %s", r.ID)
	default:
		return true
	}
	return false
}

// responsesOnly are models that chat completions do not reach.
func responsesOnly() []string {
	return []string{"openai/gpt-5.5-pro", "openai/gpt-5.4-pro", "openai/gpt-5.3-codex"}
}

func (c *converter) provider(id string) *catalog.Provider {
	i := slices.IndexFunc(c.providers, func(p catalog.Provider) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &c.providers[i]
}

// makers are the providers that sell what they made.
func makers() []string {
	return []string{"openai", "anthropic", "google", "mistral", "xai", "deepseek", "perplexity", "moonshot", "zai", "minimax", "voyage"}
}

// preference puts the maker first and the market last.
func preference(r row) int {
	switch {
	case slices.Contains(makers(), r.Provider):
		return 0
	case r.Provider == "openrouter":
		return 2
	}
	return 1
}

// model makes one model of the rows that sell it; the first place's facts are
// the model's, and the others tell where they differ.
func (c *converter) model(rows []row) (catalog.Entry, error) {
	slices.SortStableFunc(rows, func(a, b row) int { return preference(a) - preference(b) })
	first := rows[0]
	for i := range rows {
		rows[i].Efforts = effortsOver(first, rows[i])
	}
	m := catalog.Entry{Model: catalog.Model{
		ID: modelID(first), Kind: kind(first), Context: first.Context,
		MaxOutput: min(first.MaxOutput, first.Context), Tokenizer: tokenizer(first.Family),
	}}
	if first.Family != m.ID {
		m.Family = first.Family
	}
	m.About = about(rows)
	m.Aliases = aliases(rows, m.ID)
	m.Capabilities, m.Unknown = c.union(rows)
	m.Efforts = efforts(first)
	m.Quality, m.QualitySource = prior(m.ID, rows)
	m.Figures = figures(rows)
	for i, r := range rows {
		prices, err := c.prices(r)
		if err != nil {
			return m, fmt.Errorf("%s: %w", r.ID, err)
		}
		if i == 0 {
			m.Prices = prices
		}
		m.Endpoints = append(m.Endpoints, c.place(&m, r, prices))
	}
	return m, nil
}

// modelID is the maker's name of it, or the usual one.
func modelID(r row) string {
	if slices.Contains(makers(), r.Provider) {
		return r.Upstream
	}
	return r.Family
}

func kind(r row) catalog.Kind {
	if r.Kind == "embedding" {
		return catalog.Embeddings
	}
	return catalog.Chat
}

// aliases are the names that are not a place's: those the loader adds itself.
func aliases(rows []row, id string) []string {
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

func about(rows []row) catalog.About {
	first := rows[0]
	a := catalog.About{
		Name: first.Name, Takes: first.Modalities.Input, Gives: first.Modalities.Output,
		Dimensions: first.Dimensions, Knowledge: first.Knowledge,
		Lifecycle: catalog.Lifecycle{Status: catalog.Status(first.Status), Released: first.Released, Retires: first.Retires},
	}
	for _, r := range rows[1:] {
		if a.Knowledge == "" {
			a.Knowledge = r.Knowledge
		}
		if a.Released == "" {
			a.Released = r.Released
		}
	}
	if first.Upstream == "claude-sonnet-4-5" {
		a.Replacement = "claude-sonnet-5-5"
	}
	return a
}
