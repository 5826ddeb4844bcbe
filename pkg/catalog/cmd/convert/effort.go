package main

import (
	"maps"
	"slices"
	"strings"
)

// effortLadder lists the efforts, lowest first. The table uses "off" for "none".
func effortLadder() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// offeredEffort returns the endpoint's name for an effort, or "" if the endpoint does not
// support it. If the table has no entry, the endpoint is assumed to support the usual efforts
// but not xhigh and max.
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

// effortsOver returns the efforts of a row. Azure serves OpenAI's API, so efforts that the table
// does not list for Azure come from OpenAI's row.
func effortsOver(maker, r row) map[string]*string {
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

// supportedEfforts returns the efforts that the model supports.
func supportedEfforts(r row) []string {
	var all []string
	if r.Efforts == nil && reasoningOptionOf(r, "effort") == nil || !is(r.Can["reasoning"]) {
		return nil
	}
	for _, effort := range effortLadder() {
		if offeredEffort(r, effort) != "" {
			all = append(all, effort)
		}
	}
	return all
}

// effortReplacements maps every effort that the endpoint does not support to the nearest
// supported one: the next higher, else the highest.
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
			// Adapters of other formats use their own names.
			to = nearest
		}
		if to = strings.ToLower(to); to != effort {
			replacements[effort] = to
		}
	}
	return replacements
}
