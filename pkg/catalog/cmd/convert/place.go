package main

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// place is where a row is sold, with what differs there.
func (c *converter) place(m *catalog.Entry, r row, prices []catalog.Price) catalog.Endpoint {
	e := catalog.Endpoint{Provider: r.Provider, Model: r.Upstream, Confidence: r.Confidence, Note: notes(r), Conflicts: conflicts(r)}
	if !reflect.DeepEqual(prices, m.Prices) {
		e.Prices = prices
	}
	if r.Context != m.Context {
		e.Context = r.Context
	}
	if most := min(r.MaxOutput, r.Context); most != m.MaxOutput {
		e.MaxOutput = most
	}
	e.Lacks, e.Unknown = missing(m, r)
	e.Wire = c.wire(r)
	return e
}

func notes(r row) string {
	var all []string
	if ruled, ok := rulings()[r.ID]; ok {
		all = append(all, ruled.why)
	}
	for _, text := range []string{smaller()[r.ID], r.ContextWhy, retired(r)} {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// retired is about a place that ends while the model goes on elsewhere.
func retired(r row) string {
	if r.Retires != "" && r.Status == "active" {
		return "LiteLLM lists the end of this version for " + r.Retires
	}
	return ""
}

func conflicts(r row) []catalog.Conflict {
	var all []catalog.Conflict
	for _, d := range r.Disagreements {
		values := d.Pico
		if values == nil {
			values = d.Tokens
		}
		all = append(all, catalog.Conflict{Field: d.Field, Values: values})
	}
	return all
}

// wire is how the place deviates from its provider; nil when it does not.
func (c *converter) wire(r row) *catalog.Wire {
	p := c.provider(r.Provider)
	w := &catalog.Wire{MaxInputs: r.MaxBatch}
	if kind(r) == catalog.Chat {
		sampling(w, r)
		thinking(w, r, p.Kind)
		dialect(w, r, p.Kind)
	}
	if p.Wire != nil {
		trim(w, p.Wire)
	}
	if reflect.DeepEqual(w, &catalog.Wire{}) {
		return nil
	}
	return w
}

// trim leaves out what the provider's entry says already.
func trim(w, of *catalog.Wire) {
	said := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	w.Drop = slices.DeleteFunc(w.Drop, said(of.Drop))
	w.Refuse = slices.DeleteFunc(w.Refuse, said(of.Refuse))
	w.ReplaysReasoning = w.ReplaysReasoning && !of.ReplaysReasoning
	if w.Reasoning == of.Reasoning {
		w.Reasoning = ""
	}
	if maps.Equal(w.Roles, of.Roles) {
		w.Roles = nil
	}
	if reflect.DeepEqual(w.Values, of.Values) {
		w.Values = nil
	}
	for field, words := range w.Values {
		for word := range of.Values[field] {
			if _, changed := words[word]; !changed {
				words[word] = word // the place takes what the provider's entry replaces
			}
		}
	}
	if len(w.Drop) == 0 {
		w.Drop = nil
	}
	if len(w.Refuse) == 0 {
		w.Refuse = nil
	}
}

// sampling is about what models that think first no longer take.
func sampling(w *catalog.Wire, r row) {
	fixed := not(r.Quirks.Temperature) || not(r.Can["temperature"])
	thinks := is(r.Can["reasoning"])
	switch r.Provider {
	case "openai", "azure":
		if fixed {
			w.Drop = []string{"frequency_penalty", "presence_penalty", "temperature", "top_p"}
		}
		if thinks {
			w.Refuse = []string{"logit_bias", "logprobs", "stop", "top_logprobs"}
		}
	case "anthropic":
		if fixed {
			w.Drop = []string{"temperature", "top_k", "top_p"}
		}
	case "xai":
		if thinks {
			w.Drop, w.Refuse = []string{"frequency_penalty", "presence_penalty"}, []string{"stop"}
		}
	default:
		if fixed {
			w.Drop = []string{"temperature", "top_p"}
		}
	}
	if not(r.Can["reasoning"]) {
		w.Refuse = append(w.Refuse, "reasoning_effort")
	}
}

func dialect(w *catalog.Wire, r row, kind string) {
	w.SystemInside = kind == "anthropic" && r.Quirks.SystemInside
	if kind != "openai" {
		return
	}
	w.ReplaysReasoning = r.Quirks.ReplaysReasoning
	if not(r.Quirks.DeveloperRole) {
		w.Roles = map[string]string{"developer": "system"}
	}
	if not(r.Quirks.StrictMode) {
		w.Drop = append(w.Drop, "tools[].function.strict")
	}
}

// thinking is how hard the model can be told to think, and how.
func thinking(w *catalog.Wire, r row, kind string) {
	if !is(r.Can["reasoning"]) {
		return
	}
	switch kind {
	case "anthropic":
		w.Reasoning = claude(r)
	case "gemini":
		w.Reasoning = catalog.Level
		if o := option(r, "budget_tokens"); o != nil {
			w.Reasoning = catalog.Budget
			w.Limits = map[string]catalog.Limit{"thinking_budget": {Min: number(o.Min), Max: number(o.Max)}}
			w.FormatOrTools = true
		}
	default:
		w.Reasoning = switches(r)
	}
	if words := effortWords(r, kind); len(words) > 0 {
		w.Values = map[string]map[string]string{"reasoning_effort": words}
	}
}

func claude(r row) catalog.Reasoner {
	switch {
	case r.Quirks.Adaptive:
		return catalog.Adaptive
	case option(r, "effort") != nil:
		return catalog.EffortBudget
	}
	return catalog.Budget
}

func switches(r row) catalog.Reasoner {
	effort := !not(r.Quirks.ReasoningEffort)
	switch r.Quirks.ThinkingFormat {
	case "together":
		return catalog.ReasoningSwitch
	case "zai", "deepseek":
		if effort {
			return catalog.ThinkingEffort
		}
		return catalog.ThinkingSwitch
	}
	return ""
}

func option(r row, kind string) *reasoningOption {
	for i := range r.Options {
		if r.Options[i].Type == kind {
			return &r.Options[i]
		}
	}
	return nil
}

func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
