package policy

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Meets tells whether a place of a model has what is required; tags are its
// provider's.
func (r *Requirement) Meets(m *Model, e *Endpoint, tags []string) bool {
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

// requirements reads a list of them. The two that hold of every request may be
// written, and say so; they are not kept.
func (c *compiler) requirements(v value, kind catalog.Kind) []Requirement {
	names := []string{RequireProviderTag, RequireProvider, RequireModel, RequireCapabilities, RequireContext}
	var all []Requirement
	for _, item := range c.items(v) {
		f := c.fields(item, names...)
		for _, name := range names {
			if at, ok := f[name]; ok {
				if r, ok := c.requirement(at, name, kind); ok {
					all = append(all, r)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Requirement) int { return cmp.Compare(a.Field, b.Field) })
	return all
}

func (c *compiler) requirement(v value, field string, kind catalog.Kind) (Requirement, bool) {
	r := Requirement{Field: field}
	_, list := v.node.(*ast.SequenceNode)
	switch {
	case field == RequireContext && !isInteger(v):
		c.always(v, "fits", "fits, or a number of tokens")
		return r, false
	case field == RequireContext:
		r.Min = c.integer(v, 1, maxTokens)
		return r, true
	case field == RequireCapabilities && !list:
		c.always(v, "from_request", "from_request, or a list of capabilities")
		return r, false
	}
	words, at := c.words(v, CodeBadValue)
	for i, word := range words {
		c.requiredWord(at[i], field, word, kind)
	}
	r.In = slices.Sorted(slices.Values(words))
	return r, len(words) > 0
}

func isInteger(v value) bool { _, ok := v.node.(*ast.IntegerNode); return ok }

// always takes the word for what holds without being written.
func (c *compiler) always(v value, word, want string) {
	if text, ok := c.text(v); ok && text != word {
		c.fail(v, CodeBadValue, "want %s", want)
	}
}

func (c *compiler) requiredWord(v value, field, word string, kind catalog.Kind) {
	var known []string
	for _, p := range c.out.Providers {
		switch field {
		case RequireProvider:
			known = append(known, p.Name)
		case RequireProviderTag:
			known = append(known, p.Tags...)
		}
	}
	switch {
	case field == RequireModel:
		c.modelName(v, kind)
	case field == RequireCapabilities:
		c.capability(v, word)
	case slices.Contains(known, word):
	case field == RequireProvider:
		c.failNear(v, CodeUnknownProvider, word, known, "there is no provider %q", word)
	default:
		c.failNear(v, CodeBadValue, word, known, "no provider has the tag %q", word)
	}
}
