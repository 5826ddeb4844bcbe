package main

import (
	"maps"
	"slices"
	"strings"
)

// ladder has the words for efforts, the least first; the table calls the first
// one off.
func ladder() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// offered is what the place calls an effort, or "" if it has none of it. Of
// what the table leaves out, all have the usual words and few the highest.
func offered(r row, word string) string {
	key := word
	if word == "none" {
		key = "off"
	}
	if o := option(r, "effort"); r.Efforts == nil && o != nil {
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

// effortsOver are the efforts of a row at Azure, which serves OpenAI's API, with
// OpenAI's where the table leaves a word out.
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

// efforts are the words that the model knows.
func efforts(r row) []string {
	var all []string
	if r.Efforts == nil && option(r, "effort") == nil || !is(r.Can["reasoning"]) {
		return nil
	}
	for _, word := range ladder() {
		if offered(r, word) != "" {
			all = append(all, word)
		}
	}
	return all
}

// effortWords gives, for every effort that the place does not have under its
// name, the nearest that it has: the next higher, else the highest.
func effortWords(r row, kind string) map[string]string {
	have := efforts(r)
	if len(have) == 0 {
		return nil
	}
	words := map[string]string{}
	for i, word := range ladder() {
		near := have[len(have)-1]
		if j := slices.IndexFunc(ladder()[i:], func(w string) bool { return slices.Contains(have, w) }); j >= 0 {
			near = ladder()[i+j]
		}
		to := offered(r, near)
		if kind != "openai" {
			// An adapter of another format has its own words for ours.
			to = near
		}
		if to = strings.ToLower(to); to != word {
			words[word] = to
		}
	}
	return words
}
