package catalog

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
)

// Merge returns one Wire with the deviations of w and other. It joins lists and maps. If
// both set the same map entry, string or number, the value of other is used. A boolean
// is true if it is true in w or other. The result does not drop, reject or restrict the
// fields in other.Keep. w and other may be nil. Merge returns nil if there are no
// deviations, and does not change w or other.
func (w *Wire) Merge(other *Wire) *Wire {
	out := Wire{}
	for _, part := range []*Wire{w, other} {
		if part != nil {
			out.merge(part)
		}
	}
	out.Keep = nil
	if reflect.DeepEqual(out, Wire{}) {
		return nil
	}
	return &out
}

// ForEndpoint merges the deviations of a provider, w, with the deviations of one of
// its endpoints. The result has no HTTP settings of w, because only the provider uses
// them.
func (w *Wire) ForEndpoint(endpoint *Wire) *Wire {
	if w != nil && w.HTTP != nil {
		body := *w
		body.HTTP = nil
		w = &body
	}
	return w.Merge(endpoint)
}

func (w *Wire) merge(p *Wire) {
	w.API = cmp.Or(p.API, w.API)
	w.Drop = mergeNames(w.Drop, p.Drop, p.Keep)
	w.Reject = mergeNames(w.Reject, p.Reject, p.Keep)
	w.DropDefault = mergeNames(w.DropDefault, p.DropDefault, p.Keep)
	w.AllowedValues = removeNames(mergeMaps(w.AllowedValues, p.AllowedValues), p.Keep)
	w.Add = mergeMaps(w.Add, p.Add)
	w.Rename = mergeMaps(w.Rename, p.Rename)
	w.Values = mergeValueMaps(w.Values, p.Values)
	w.Limits = mergeMaps(w.Limits, p.Limits)
	w.Roles = mergeMaps(w.Roles, p.Roles)
	w.Reasoning = cmp.Or(p.Reasoning, w.Reasoning)
	w.ReplaysReasoning = w.ReplaysReasoning || p.ReplaysReasoning
	w.DropEmpty = w.DropEmpty || p.DropEmpty
	w.TextContent = w.TextContent || p.TextContent
	w.ToolText = w.ToolText || p.ToolText
	w.AllowsLaterSystem = w.AllowsLaterSystem || p.AllowsLaterSystem
	w.FormatExcludesTools = w.FormatExcludesTools || p.FormatExcludesTools
	w.ToolIDLength = cmp.Or(p.ToolIDLength, w.ToolIDLength)
	w.MaxInputs = cmp.Or(p.MaxInputs, w.MaxInputs)
	if p.HTTP != nil {
		w.HTTP = w.HTTP.merge(p.HTTP)
	}
}

func (h *WireHTTP) merge(p *WireHTTP) *WireHTTP {
	out := WireHTTP{}
	if h != nil {
		out = *h
	}
	if p.AuthHeader != "" {
		out.AuthHeader, out.AuthPrefix = p.AuthHeader, p.AuthPrefix
	}
	out.ChatPath = cmp.Or(p.ChatPath, out.ChatPath)
	out.EmbeddingsPath = cmp.Or(p.EmbeddingsPath, out.EmbeddingsPath)
	out.ResponsesPath = cmp.Or(p.ResponsesPath, out.ResponsesPath)
	out.Query = mergeMaps(out.Query, p.Query)
	return &out
}

// mergeNames returns the sorted union of a and b without the names in keep.
func mergeNames(a, b, keep []string) []string {
	var all []string
	for _, name := range slices.Concat(a, b) {
		if !slices.Contains(keep, name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// removeNames deletes the entries whose name is in keep, so that these fields are sent
// with any value.
func removeNames(only map[string][]string, keep []string) map[string][]string {
	maps.DeleteFunc(only, func(name string, _ []string) bool { return slices.Contains(keep, name) })
	if len(only) == 0 {
		return nil
	}
	return only
}

// mergeValueMaps merges the maps per field and per value.
func mergeValueMaps(a, b map[string]map[string]string) map[string]map[string]string {
	out := mergeMaps(a, b)
	for field, values := range b {
		out[field] = mergeMaps(a[field], values)
	}
	return out
}

func mergeMaps[M ~map[string]V, V any](a, b M) M {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := maps.Clone(a)
	if out == nil {
		out = M{}
	}
	maps.Copy(out, b)
	return out
}
