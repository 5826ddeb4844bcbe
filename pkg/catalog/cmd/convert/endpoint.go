package main

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// convertEndpoint returns the endpoint of a row. It sets prices, context and maximum output only
// if they differ from the model's values.
func (c *converter) convertEndpoint(m *catalog.Entry, r row, prices []catalog.Price) catalog.Endpoint {
	e := catalog.Endpoint{Provider: r.Provider, Model: r.Upstream, Confidence: r.Confidence, Note: joinNotes(r), Conflicts: listConflicts(r)}
	if !reflect.DeepEqual(prices, m.Prices) {
		e.Prices = prices
	}
	if r.Context != m.Context {
		e.Context = r.Context
	}
	if most := min(r.MaxOutput, r.Context); most != m.MaxOutput {
		e.MaxOutput = most
	}
	e.Lacks, e.Unknown = missingCapabilities(m, r)
	e.Wire = c.endpointWire(r)
	return e
}

func joinNotes(r row) string {
	var all []string
	if ruled, ok := rulings()[r.ID]; ok {
		all = append(all, ruled.why)
	}
	for _, text := range []string{cacheRulings()[r.ID], r.ContextWhy, retirementNote(r)} {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// retirementNote mentions the retirement date of an endpoint that is still active.
func retirementNote(r row) string {
	if r.Retires != "" && r.Status == "active" {
		return "LiteLLM lists a retirement date of this version: " + r.Retires
	}
	return ""
}

func listConflicts(r row) []catalog.Conflict {
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

// endpointWire returns how the endpoint deviates from its provider. It returns nil if there are
// no deviations.
func (c *converter) endpointWire(r row) *catalog.Wire {
	p := c.provider(r.Provider)
	w := &catalog.Wire{MaxInputs: r.MaxBatch}
	if kindOf(r) == catalog.Chat {
		applySamplingQuirks(w, r)
		applyReasoning(w, r, p.Kind)
		applyDialect(w, r, p.Kind)
	}
	if p.Wire != nil {
		removeProviderDefaults(w, p.Wire)
	}
	if reflect.DeepEqual(w, &catalog.Wire{}) {
		return nil
	}
	return w
}

// removeProviderDefaults removes the deviations that the provider's Wire already contains.
func removeProviderDefaults(w, provider *catalog.Wire) {
	isIn := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	w.Drop = slices.DeleteFunc(w.Drop, isIn(provider.Drop))
	w.Reject = slices.DeleteFunc(w.Reject, isIn(provider.Reject))
	w.ReplaysReasoning = w.ReplaysReasoning && !provider.ReplaysReasoning
	if w.Reasoning == provider.Reasoning {
		w.Reasoning = ""
	}
	if maps.Equal(w.Roles, provider.Roles) {
		w.Roles = nil
	}
	if reflect.DeepEqual(w.Values, provider.Values) {
		w.Values = nil
	}
	for field, replacements := range w.Values {
		for value := range provider.Values[field] {
			if _, changed := replacements[value]; !changed {
				replacements[value] = value // the endpoint accepts a value that the provider's Wire replaces
			}
		}
	}
	if len(w.Drop) == 0 {
		w.Drop = nil
	}
	if len(w.Reject) == 0 {
		w.Reject = nil
	}
}

// applySamplingQuirks lists the fields for sampling, stop and effort that the model does not
// accept. Drop lists the fields that are left out of the request. Reject lists the fields for
// which the request is rejected.
func applySamplingQuirks(w *catalog.Wire, r row) {
	fixed := isFalse(r.Quirks.Temperature) || isFalse(r.Can["temperature"])
	thinks := isTrue(r.Can["reasoning"])
	switch r.Provider {
	case "openai", "azure":
		if fixed {
			w.Drop = []string{"frequency_penalty", "presence_penalty", "temperature", "top_p"}
		}
		if thinks {
			w.Reject = []string{"logit_bias", "logprobs", "stop", "top_logprobs"}
		}
	case "anthropic":
		if fixed {
			w.Drop = []string{"temperature", "top_k", "top_p"}
		}
	case "xai":
		if thinks {
			w.Drop, w.Reject = []string{"frequency_penalty", "presence_penalty"}, []string{"stop"}
		}
	default:
		if fixed {
			w.Drop = []string{"temperature", "top_p"}
		}
	}
	if isFalse(r.Can["reasoning"]) {
		w.Reject = append(w.Reject, "reasoning_effort")
	}
}

func applyDialect(w *catalog.Wire, r row, kind string) {
	w.AllowsLaterSystem = kind == "anthropic" && r.Quirks.SystemInside
	if kind != "openai" {
		return
	}
	if slices.Contains(responsesOnly(), r.ID) {
		w.API = catalog.ProtocolResponses
	}
	w.ReplaysReasoning = r.Quirks.ReplaysReasoning
	if isFalse(r.Quirks.DeveloperRole) {
		w.Roles = map[string]string{"developer": "system"}
	}
	if isFalse(r.Quirks.StrictMode) {
		w.Drop = append(w.Drop, "tools[].function.strict")
	}
}

// responsesOnly lists the models that exist only in the Responses API.
func responsesOnly() []string {
	return []string{"openai/gpt-5.5-pro", "openai/gpt-5.4-pro", "openai/gpt-5.3-codex"}
}

// applyReasoning describes the supported reasoning efforts and their wire format.
func applyReasoning(w *catalog.Wire, r row, kind string) {
	if !isTrue(r.Can["reasoning"]) {
		return
	}
	switch kind {
	case "anthropic":
		w.Reasoning = claudeReasoningStyle(r)
	case "gemini":
		w.Reasoning = catalog.ThinkingLevel
		if o := reasoningOptionOf(r, "budget_tokens"); o != nil {
			w.Reasoning = catalog.ThinkingBudget
			w.Limits = map[string]catalog.Limit{"thinking_budget": {Min: formatNumber(o.Min), Max: formatNumber(o.Max)}}
			w.FormatExcludesTools = true
		}
	default:
		w.Reasoning = openAIReasoningStyle(r)
	}
	if replacements := effortReplacements(r, kind); len(replacements) > 0 {
		w.Values = map[string]map[string]string{"reasoning_effort": replacements}
	}
}

func claudeReasoningStyle(r row) catalog.ReasoningStyle {
	switch {
	case r.Quirks.Adaptive:
		return catalog.AdaptiveThinking
	case reasoningOptionOf(r, "effort") != nil:
		return catalog.EffortAndBudget
	}
	return catalog.ThinkingBudget
}

func openAIReasoningStyle(r row) catalog.ReasoningStyle {
	effort := !isFalse(r.Quirks.ReasoningEffort)
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

func reasoningOptionOf(r row, kind string) *reasoningOption {
	for i := range r.Options {
		if r.Options[i].Type == kind {
			return &r.Options[i]
		}
	}
	return nil
}

func formatNumber(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
