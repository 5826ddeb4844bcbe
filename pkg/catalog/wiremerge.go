package catalog

import (
	"maps"
	"reflect"
	"slices"
)

// Over is w with other over it: lists are joined, words and numbers of other
// count where both have them, and what other keeps is neither dropped nor
// refused, with whatever words. Either may be nil, and the result is where it says nothing. Neither
// is changed.
func (w *Wire) Over(other *Wire) *Wire {
	out := Wire{}
	for _, part := range []*Wire{w, other} {
		if part != nil {
			out.take(part)
		}
	}
	out.Keep = nil
	if reflect.DeepEqual(out, Wire{}) {
		return nil
	}
	return &out
}

// Place is what is left for one place of a provider that deviates like w: the
// address is the provider's.
func (w *Wire) Place(place *Wire) *Wire {
	if w != nil && w.HTTP != nil {
		body := *w
		body.HTTP = nil
		w = &body
	}
	return w.Over(place)
}

func (w *Wire) take(p *Wire) {
	w.Drop = joined(w.Drop, p.Drop, p.Keep)
	w.Refuse = joined(w.Refuse, p.Refuse, p.Keep)
	w.DropDefault = joined(w.DropDefault, p.DropDefault, p.Keep)
	w.Only = without(over(w.Only, p.Only), p.Keep)
	w.Add = over(w.Add, p.Add)
	w.Rename = over(w.Rename, p.Rename)
	w.Values = overWords(w.Values, p.Values)
	w.Limits = over(w.Limits, p.Limits)
	w.Roles = over(w.Roles, p.Roles)
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
		w.HTTP = w.HTTP.over(p.HTTP)
	}
}

func (h *WireHTTP) over(p *WireHTTP) *WireHTTP {
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
	out.Query = over(out.Query, p.Query)
	return &out
}

// joined is all names once, in order, without those that are kept.
func joined(a, b, kept []string) []string {
	var all []string
	for _, name := range slices.Concat(a, b) {
		if !slices.Contains(kept, name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// without is the map but for what is kept.
func without(only map[string][]string, kept []string) map[string][]string {
	maps.DeleteFunc(only, func(name string, _ []string) bool { return slices.Contains(kept, name) })
	if len(only) == 0 {
		return nil
	}
	return only
}

// overWords is over, field by field and word by word.
func overWords(a, b map[string]map[string]string) map[string]map[string]string {
	out := over(a, b)
	for field, words := range b {
		out[field] = over(a[field], words)
	}
	return out
}

func over[M ~map[string]V, V any](a, b M) M {
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
