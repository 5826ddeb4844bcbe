package main

import (
	"maps"
	"slices"
	"strings"
)

// effortLadder lists the efforts, lowest first; the table calls the first one off.
func effortLadder() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// offeredEffort returns the endpoint's word for an effort, or "" if it has none. Where the
// table is silent, endpoints have the usual words and few have the highest.
func offeredEffort(r row, word string) string {
	key := word
	if word == "none" {
		key = "off"
	}
	if o := reasoningOptionOf(r, "effort"); r.Efforts == nil && o != nil {
		return map[bool]string{true: word}[slices.Contains(o.Values, word)]
	}
	own, written := r.Efforts[key]
	switch {
	case written && own == nil:
		return ""
	case written:
		return *own
	case word == "xhigh" || word == "max" || word == "minimal" && r.Provider == "anthropic":
		return ""
	}
	return word
}

// effortsOver returns the efforts of a row at Azure, which serves OpenAI's API. It uses OpenAI's
// where the table is silent.
func effortsOver(maker, r row) map[string]*string {
	if r.Provider != "azure" || maker.Provider != "openai" || r.Efforts == nil {
		return r.Efforts
	}
	all := maps.Clone(r.Efforts)
	for word, to := range maker.Efforts {
		if _, written := all[word]; !written {
			all[word] = to
		}
	}
	return all
}

// supportedEfforts returns the efforts that the model supports.
func supportedEfforts(r row) []string {
	var all []string
	if r.Efforts == nil && reasoningOptionOf(r, "effort") == nil || !is(r.Can["reasoning"]) {
		return nil
	}
	for _, word := range effortLadder() {
		if offeredEffort(r, word) != "" {
			all = append(all, word)
		}
	}
	return all
}

// effortWords maps every effort that the endpoint does not have to the nearest one that it
// has: the next higher, else the highest.
func effortWords(r row, kind string) map[string]string {
	have := supportedEfforts(r)
	if len(have) == 0 {
		return nil
	}
	words := map[string]string{}
	for i, word := range effortLadder() {
		near := have[len(have)-1]
		if j := slices.IndexFunc(effortLadder()[i:], func(w string) bool { return slices.Contains(have, w) }); j >= 0 {
			near = effortLadder()[i+j]
		}
		to := offeredEffort(r, near)
		if kind != "openai" {
			// Adapters of other formats have their own words.
			to = near
		}
		if to = strings.ToLower(to); to != word {
			words[word] = to
		}
	}
	return words
}
