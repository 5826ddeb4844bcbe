package main

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// measuredLengths returns the usual length of a response in tokens, of models whose responses to
// public benchmarks were counted. It is the length relative to the median of all models of a
// benchmark, averaged over the benchmarks, at a median of 512 tokens.
func measuredLengths() map[string]int64 {
	return map[string]int64{
		"gpt-3.5-turbo": 330, "gpt-4o": 560, "gpt-4o-mini": 570, "llama-3.1-8b-instruct": 1090, "open-mistral-nemo": 570,
	}
}

// The assumed lengths of models that were not counted. Reasoning is charged as output. A model
// that can do without it reasons less by default.
const (
	alwaysReasons    = 1200
	sometimesReasons = 700
)

// outputLength returns the usual length of a model's response in tokens, including its
// reasoning, or 0 if nothing is known about it.
func outputLength(m *catalog.Entry) int64 {
	measured, ok := measuredLengths()[m.ID]
	switch {
	case ok:
		return measured
	case m.Kind != catalog.Chat || len(m.Efforts) == 0:
		return 0
	case slices.Contains(m.Efforts, "none"):
		return sometimesReasons
	}
	return alwaysReasons
}
