package policy

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// IsMetBy reports whether an endpoint of a model meets the requirement. tags are the
// tags of the endpoint's provider.
func (r *Requirement) IsMetBy(m *Model, e *Endpoint, tags []string) bool {
	switch r.Field {
	case RequireProviderTag:
		return slices.ContainsFunc(r.In, func(tag string) bool { return slices.Contains(tags, tag) })
	case RequireProvider:
		return slices.Contains(r.In, e.Provider)
	case RequireModel:
		return slices.Contains(r.In, m.ID)
	case RequireCapabilities:
		return !slices.ContainsFunc(r.In, func(need string) bool { return !m.EndpointSupports(e, catalog.Capability(need)) })
	case RequireContext:
		return m.EndpointContext(e) >= r.Min
	}
	return false
}

// readRequirements reads a list of requirements. It accepts "capabilities: from_request"
// and "context: fits", but does not return them. They apply to every request anyway.
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
		c.checkImpliedKeyword(v, "fits", `"fits", or a number of tokens`)
		return r, false
	case field == RequireContext:
		r.Min = c.readInteger(v, 1, maxTokens)
		return r, true
	case field == RequireCapabilities && !list:
		c.checkImpliedKeyword(v, "from_request", `"from_request", or a list of capabilities`)
		return r, false
	}
	accepted, at := c.readStringOrList(v, CodeBadValue)
	for i, name := range accepted {
		c.checkRequiredValue(at[i], field, name, kind)
	}
	r.In = slices.Sorted(slices.Values(accepted))
	return r, len(accepted) > 0
}

func isInteger(v value) bool { _, ok := v.node.(*ast.IntegerNode); return ok }

// checkImpliedKeyword reports any value other than the keyword. want describes the
// accepted values.
func (c *compiler) checkImpliedKeyword(v value, keyword, want string) {
	if s, ok := c.readString(v); ok && s != keyword {
		c.reportProblem(v, CodeBadValue, "must be %s", want)
	}
}

func (c *compiler) checkRequiredValue(v value, field, name string, kind catalog.Kind) {
	if field == RequireProvider {
		c.words.addProvider(v)
	}
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
		c.checkCapability(v, name)
	case slices.Contains(known, name):
	case field == RequireProvider:
		c.reportUnknownName(v, CodeUnknownProvider, name, known, `unknown provider %q: configure it under "providers"`, name)
	default:
		c.reportUnknownName(v, CodeBadValue, name, known, "no provider has the tag %q", name)
	}
}
