package main

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// support says whether an endpoint supports a capability.
type support int

const (
	unknown support = iota
	no
	yes
)

func toSupport(b *bool) support {
	switch {
	case isTrue(b):
		return yes
	case isFalse(b):
		return no
	}
	return unknown
}

// capabilitySupport returns whether the endpoint of a row supports a capability. The table has
// no columns for JSON objects and audio. Support for JSON objects depends on the provider.
// Support for audio is part of the input modalities.
func capabilitySupport(r row, c catalog.Capability) support {
	switch c {
	case catalog.Files:
		return toSupport(r.Can["pdf"])
	case catalog.JSONObject:
		return jsonObjectSupport(r)
	case catalog.Audio:
		if slices.Contains(r.Modalities.Input, "audio") {
			return yes
		}
		return no
	}
	return toSupport(r.Can[string(c)])
}

func jsonObjectSupport(r row) support {
	switch r.Provider {
	case "perplexity":
		return no
	case "huggingface", "minimax":
		return unknown
	}
	return yes
}

// modelCapabilities returns the capabilities that a model entry can list. The other
// capabilities depend on the endpoint.
func modelCapabilities() []catalog.Capability {
	return []catalog.Capability{
		catalog.Tools, catalog.JSONObject, catalog.JSONSchema, catalog.Vision, catalog.Audio, catalog.Files, catalog.Reasoning,
	}
}

// unionCapabilities returns the capabilities that at least one endpoint of the model supports.
// unclear lists the capabilities without reliable information.
func (c *converter) unionCapabilities(rows []row) (has, unclear []catalog.Capability) {
	if kindOf(rows[0]) == catalog.Embeddings {
		return nil, nil
	}
	for _, capability := range modelCapabilities() {
		best := no
		for _, r := range rows {
			switch t := capabilitySupport(r, capability); {
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
			unclear = append(unclear, capability)
		}
	}
	return has, unclear
}

// missingCapabilities returns the model's capabilities that this endpoint does not support.
// unclear lists the model's capabilities without reliable information for this endpoint.
func missingCapabilities(m *catalog.Entry, r row) (lacks, unclear []catalog.Capability) {
	for _, have := range m.Capabilities {
		switch capabilitySupport(r, have) {
		case no:
			lacks = append(lacks, have)
		case unknown:
			unclear = append(unclear, have)
		}
	}
	return lacks, unclear
}

// publicTokenizer returns the name of the family's token encoding, or "" if it is not public.
func publicTokenizer(family string) string {
	switch {
	case family == "gpt-3.5-turbo" || strings.HasPrefix(family, "text-embedding-"):
		return "cl100k_base"
	case strings.HasPrefix(family, "gpt-") || family == "o3" || family == "o4-mini":
		return "o200k_base"
	}
	return ""
}
