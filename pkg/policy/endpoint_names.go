package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readEndpointName reads the name of a model of this policy, or model@provider. Both can be
// followed by a reasoning effort, as in model#low.
func (c *compiler) readEndpointName(v value, kind catalog.Kind) string {
	full, v, ok := c.readCandidateName(v)
	if !ok {
		return ""
	}
	if c.routeNames[full] {
		c.routeMentions = append(c.routeMentions, routeMention{from: c.currentRoute, to: full, at: v})
		return full
	}
	name, effort := SplitEffort(full)
	model, provider, pinned := splitPinnedProvider(name)
	m, known := c.findModel(model)
	if whole, isModel := c.findModel(name); isModel || !pinned || !known {
		c.checkModelName(v, name, kind)
		if isModel {
			c.checkEffort(v, whole, "", effort)
		}
		return full
	}
	if m.Kind != kind {
		c.reportProblem(v, CodeWrongKind, "%q is a model for %s, but a model for %s is required here", model, m.Kind, kind)
	}
	if _, served := m.EndpointAt(provider); !served || provider == "" {
		var near []string
		for _, e := range m.Endpoints {
			near = append(near, e.Provider)
		}
		c.reportUnknownName(v, CodeUnknownProvider, provider, near, "model %q has no endpoint at provider %q", model, provider)
		return full
	}
	c.checkEffort(v, m, provider, effort)
	return full
}

func splitPinnedProvider(name string) (model, provider string, pinned bool) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return name, "", false
	}
	return name[:at], name[at+1:], true
}

// findEndpoint resolves a name while the document is read. Unlike Policy.ResolveEndpoint,
// it does not check whether the provider serves the model.
func (c *compiler) findEndpoint(name string) (m *Model, provider string, ok bool) {
	name, _ = SplitEffort(name)
	if m, ok := c.findModel(name); ok {
		return m, "", true
	}
	model, provider, _ := splitPinnedProvider(name)
	m, ok = c.findModel(model)
	return m, provider, ok && provider != ""
}

// maxListedModels is the maximum number of models in a list. Every request record
// contains a verdict for each candidate, so longer lists would make the records large.
const maxListedModels = 256

func (c *compiler) readEndpointNames(v value, kind catalog.Kind) []string {
	var all []string
	items := c.readItems(v)
	if len(items) > maxListedModels {
		c.reportProblem(v, CodeTooLarge, "too many models: a list can have at most %d", maxListedModels)
		return nil
	}
	for _, item := range items {
		name := c.readEndpointName(item, kind)
		if slices.Contains(all, name) {
			c.reportProblem(item, CodeDuplicateEntry, "%q is listed twice: remove one", name)
			continue
		}
		all = append(all, name)
	}
	return all
}

// routeMention is the name of a route where a model is expected: the route from contains
// the name of the route to at the position at.
type routeMention struct {
	from, to string
	at       value
}

// checkRouteMentions reports routes that are used as models. Routes that refer to
// each other in a cycle get their own problem code.
func (c *compiler) checkRouteMentions() {
	next := map[string][]string{}
	for _, mention := range c.routeMentions {
		next[mention.from] = append(next[mention.from], mention.to)
	}
	for _, mention := range c.routeMentions[:min(len(c.routeMentions), maxProblems)] {
		if leadsTo(next, mention.to, mention.from, map[string]bool{}) {
			c.reportProblem(mention.at, CodeCycle, "route %q leads back to route %q: routes must not refer to each other", mention.to, mention.from)
			continue
		}
		c.reportProblem(mention.at, CodeUnknownModel, "%q is a route: a rule can only choose models", mention.to)
	}
}

// leadsTo reports whether a chain of mentions leads from one route to another. A route
// leads to itself. seen holds the routes that were already visited.
func leadsTo(next map[string][]string, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(next[from], func(name string) bool {
		return !seen[name] && leadsTo(next, name, to, seen)
	})
}
