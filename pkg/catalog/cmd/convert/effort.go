package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// effortLadder lists the reasoning efforts, lowest first. The table uses "off" for "none".
func effortLadder() []string { return catalog.Efforts() }

// offeredEffort returns the endpoint's name for an effort, or "" if the endpoint does not
// support the effort. If the row has no names but a list of effort values, the endpoint
// supports only these values. If the names do not mention an effort, the endpoint is assumed
// to support it. The exceptions are xhigh, max, and minimal at Anthropic.
func offeredEffort(r row, effort string) string {
	key := effort
	if effort == "none" {
		key = "off"
	}
	if o := reasoningOptionOf(r, "effort"); r.Efforts == nil && o != nil {
		return map[bool]string{true: effort}[slices.Contains(o.Values, effort)]
	}
	own, written := r.Efforts[key]
	switch {
	case written && own == nil:
		return ""
	case written:
		return *own
	case effort == "xhigh" || effort == "max" || effort == "minimal" && r.Provider == "anthropic":
		return ""
	}
	return effort
}

// withOpenAIEfforts returns the efforts of a row. Azure serves OpenAI's API, so efforts that the table
// does not list for Azure come from OpenAI's row.
func withOpenAIEfforts(maker, r row) map[string]*string {
	if r.Provider != "azure" || maker.Provider != "openai" || r.Efforts == nil {
		return r.Efforts
	}
	all := maps.Clone(r.Efforts)
	for effort, name := range maker.Efforts {
		if _, written := all[effort]; !written {
			all[effort] = name
		}
	}
	return all
}

// supportedEfforts returns the efforts that the endpoint of the row supports, lowest first.
func supportedEfforts(r row) []string {
	var all []string
	if r.Efforts == nil && reasoningOptionOf(r, "effort") == nil || !isTrue(r.Can["reasoning"]) {
		return nil
	}
	for _, effort := range effortLadder() {
		if offeredEffort(r, effort) != "" {
			all = append(all, effort)
		}
	}
	return all
}

// effortReplacements maps every effort that the endpoint does not support to the next higher
// supported effort, or else to the highest one. For the kind openai, it also maps efforts to
// the endpoint's names.
func effortReplacements(r row, kind string) map[string]string {
	supported := supportedEfforts(r)
	if len(supported) == 0 {
		return nil
	}
	replacements := map[string]string{}
	for i, effort := range effortLadder() {
		nearest := supported[len(supported)-1]
		if j := slices.IndexFunc(effortLadder()[i:], func(e string) bool { return slices.Contains(supported, e) }); j >= 0 {
			nearest = effortLadder()[i+j]
		}
		to := offeredEffort(r, nearest)
		if kind != "openai" {
			// Adapters of other formats map the usual names themselves.
			to = nearest
		}
		if to = strings.ToLower(to); to != effort {
			replacements[effort] = to
		}
	}
	return replacements
}
