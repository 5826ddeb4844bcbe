package main

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// told is what is known of a capability.
type told int

const (
	unknown told = iota
	no
	yes
)

func say(b *bool) told {
	switch {
	case is(b):
		return yes
	case not(b):
		return no
	}
	return unknown
}

// can reads a capability of a row. The table has no word for any JSON object,
// nor for sound: the former is a matter of the provider, the latter of the
// media.
func can(r row, c catalog.Capability) told {
	switch c {
	case catalog.Files:
		return say(r.Can["pdf"])
	case catalog.JSONObject:
		return jsonObject(r)
	case catalog.Audio:
		if slices.Contains(r.Modalities.Input, "audio") {
			return yes
		}
		return no
	}
	return say(r.Can[string(c)])
}

func jsonObject(r row) told {
	switch r.Provider {
	case "perplexity":
		return no
	case "huggingface", "minimax":
		return unknown
	}
	return yes
}

// checked are the capabilities of models; the others are of places.
func checked() []catalog.Capability {
	return []catalog.Capability{
		catalog.Tools, catalog.JSONObject, catalog.JSONSchema, catalog.Vision, catalog.Audio, catalog.Files, catalog.Reasoning,
	}
}

// union is what the model can somewhere, and what nobody has told of.
func (c *converter) union(rows []row) (has, open []catalog.Capability) {
	if kind(rows[0]) == catalog.Embeddings {
		return nil, nil
	}
	for _, capability := range checked() {
		best := no
		for _, r := range rows {
			switch t := can(r, capability); {
			case t == yes:
				best = yes
			case t == unknown && best == no:
				best = unknown
			}
		}
		switch best {
		case yes:
			has = append(has, capability)
		case unknown:
			open = append(open, capability)
		}
	}
	return has, open
}

// missing is what the model can and this place does not, or is not known to.
func missing(m *catalog.Entry, r row) (lacks, open []catalog.Capability) {
	for _, have := range m.Capabilities {
		switch can(r, have) {
		case no:
			lacks = append(lacks, have)
		case unknown:
			open = append(open, have)
		}
	}
	return lacks, open
}

// tokenizer names the encodings that are public.
func tokenizer(family string) string {
	switch {
	case family == "gpt-3.5-turbo" || strings.HasPrefix(family, "text-embedding-"):
		return "cl100k_base"
	case strings.HasPrefix(family, "gpt-") || family == "o3" || family == "o4-mini":
		return "o200k_base"
	}
	return ""
}
