package catalog

import (
	"maps"
	"reflect"
	"slices"
)

// Merge returns w with the deviations of other on top. It joins lists and maps. For
// strings and numbers, other wins if set. A boolean is true if either is. The result
// does not drop, reject or restrict the fields in other.Keep. Either Wire may be nil,
// and the result is nil if it has no deviations. Merge changes neither argument.
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
// its endpoints. HTTP settings belong to the provider, so w.HTTP is left out.
func (w *Wire) ForEndpoint(endpoint *Wire) *Wire {
	if w != nil && w.HTTP != nil {
		body := *w
		body.HTTP = nil
		w = &body
	}
	return w.Merge(endpoint)
}

func (w *Wire) merge(p *Wire) {
	w.Drop = mergeNames(w.Drop, p.Drop, p.Keep)
	w.Refuse = mergeNames(w.Refuse, p.Refuse, p.Keep)
	w.DropDefault = mergeNames(w.DropDefault, p.DropDefault, p.Keep)
	w.Only = removeNames(mergeMaps(w.Only, p.Only), p.Keep)
	w.Add = mergeMaps(w.Add, p.Add)
	w.Rename = mergeMaps(w.Rename, p.Rename)
	w.Values = mergeValueMaps(w.Values, p.Values)
	w.Limits = mergeMaps(w.Limits, p.Limits)
	w.Roles = mergeMaps(w.Roles, p.Roles)
	if p.Reasoning != "" {
		w.Reasoning = p.Reasoning
	}
	w.ReplaysReasoning = w.ReplaysReasoning || p.ReplaysReasoning
	w.TextContent = w.TextContent || p.TextContent
	w.SystemInside = w.SystemInside || p.SystemInside
	w.FormatOrTools = w.FormatOrTools || p.FormatOrTools
	if p.ToolIDLength != 0 {
		w.ToolIDLength = p.ToolIDLength
	}
	if p.MaxInputs != 0 {
		w.MaxInputs = p.MaxInputs
	}
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
	if p.ChatPath != "" {
		out.ChatPath = p.ChatPath
	}
	if p.EmbeddingsPath != "" {
		out.EmbeddingsPath = p.EmbeddingsPath
	}
	out.Query = mergeMaps(out.Query, p.Query)
	return &out
}

// mergeNames returns the sorted union of a and b without the names in keep, which the
// endpoint accepts.
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
// without restriction.
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
