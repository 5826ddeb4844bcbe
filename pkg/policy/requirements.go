package policy

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// IsMetBy reports whether an endpoint of a model meets the requirement. tags are the
// tags of its provider.
func (r *Requirement) IsMetBy(m *Model, e *Endpoint, tags []string) bool {
	switch r.Field {
	case RequireProviderTag:
		return slices.ContainsFunc(r.In, func(tag string) bool { return slices.Contains(tags, tag) })
	case RequireProvider:
		return slices.Contains(r.In, e.Provider)
	case RequireModel:
		return slices.Contains(r.In, m.ID)
	case RequireCapabilities:
		return !slices.ContainsFunc(r.In, func(need string) bool { return !m.CanAt(e, catalog.Capability(need)) })
	case RequireContext:
		return m.ContextAt(e) >= r.Min
	}
	return false
}

// readRequirements reads a list of requirements. The two that apply to every request
// (capabilities: from_request, context: fits) may be written but are not stored.
func (c *compiler) readRequirements(v value, kind catalog.Kind) []Requirement {
	names := []string{RequireProviderTag, RequireProvider, RequireModel, RequireCapabilities, RequireContext}
	var all []Requirement
	for _, item := range c.readItems(v) {
		f := c.readFields(item, names...)
		for _, name := range names {
			if at, ok := f[name]; ok {
				if r, ok := c.readRequirement(at, name, kind); ok {
					all = append(all, r)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Requirement) int { return cmp.Compare(a.Field, b.Field) })
	return all
}

func (c *compiler) readRequirement(v value, field string, kind catalog.Kind) (Requirement, bool) {
	r := Requirement{Field: field}
	_, list := v.node.(*ast.SequenceNode)
	switch {
	case field == RequireContext && !isInteger(v):
		c.checkImpliedWord(v, "fits", "fits, or a number of tokens")
		return r, false
	case field == RequireContext:
		r.Min = c.readInteger(v, 1, maxTokens)
		return r, true
	case field == RequireCapabilities && !list:
		c.checkImpliedWord(v, "from_request", "from_request, or a list of capabilities")
		return r, false
	}
	words, at := c.readWords(v, CodeBadValue)
	for i, word := range words {
		c.checkRequiredWord(at[i], field, word, kind)
	}
	r.In = slices.Sorted(slices.Values(words))
	return r, len(words) > 0
}

func isInteger(v value) bool { _, ok := v.node.(*ast.IntegerNode); return ok }

// checkImpliedWord accepts only the word that stands for an implied requirement.
func (c *compiler) checkImpliedWord(v value, word, want string) {
	if text, ok := c.readText(v); ok && text != word {
		c.reportProblem(v, CodeBadValue, "must be %s", want)
	}
}

func (c *compiler) checkRequiredWord(v value, field, word string, kind catalog.Kind) {
	var known []string
	for _, p := range c.policy.Providers {
		switch field {
		case RequireProvider:
			known = append(known, p.Name)
		case RequireProviderTag:
			known = append(known, p.Tags...)
		}
	}
	switch {
	case field == RequireModel:
		c.readModelName(v, kind)
	case field == RequireCapabilities:
		c.checkCapability(v, word)
	case slices.Contains(known, word):
	case field == RequireProvider:
		c.reportUnknownName(v, CodeUnknownProvider, word, known, "unknown provider %q: configure it under providers", word)
	default:
		c.reportUnknownName(v, CodeBadValue, word, known, "no provider has the tag %q", word)
	}
}
