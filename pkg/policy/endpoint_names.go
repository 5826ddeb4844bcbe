package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readEndpointName reads the name of a model of this policy, or model@provider.
func (c *compiler) readEndpointName(v value, kind catalog.Kind) string {
	name, ok := c.readText(v)
	if !ok {
		return ""
	}
	if c.routeNames[name] {
		c.routeMentions = append(c.routeMentions, routeMention{from: c.currentRoute, to: name, at: v})
		return name
	}
	model, provider, pinned := splitPinnedProvider(name)
	m, known := c.findModel(model)
	if _, whole := c.findModel(name); whole || !pinned || !known {
		return c.readModelName(v, kind)
	}
	if m.Kind != kind {
		c.reportProblem(v, CodeWrongKind, "%q is a model for %s, but this needs one for %s", model, m.Kind, kind)
	}
	if _, served := m.EndpointAt(provider); !served || provider == "" {
		var near []string
		for _, e := range m.Endpoints {
			near = append(near, e.Provider)
		}
		c.reportUnknownName(v, CodeUnknownProvider, provider, near, "model %q has no endpoint at provider %q", model, provider)
	}
	return name
}

func splitPinnedProvider(name string) (model, provider string, pinned bool) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return name, "", false
	}
	return name[:at], name[at+1:], true
}

// findEndpoint is Policy.ResolveEndpoint before the policy is sealed.
func (c *compiler) findEndpoint(name string) (m *Model, provider string, ok bool) {
	if m, ok := c.findModel(name); ok {
		return m, "", true
	}
	model, provider, _ := splitPinnedProvider(name)
	m, ok = c.findModel(model)
	return m, provider, ok && provider != ""
}

// maxListedModels bounds the candidates, because every record holds a verdict for
// each of them.
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

// routeMention is a route's name in a position where a model is expected.
type routeMention struct {
	from, to string
	at       value
}

// checkRouteMentions reports routes that are used as models. A cycle of such
// mentions gets its own code.
func (c *compiler) checkRouteMentions() {
	next := map[string][]string{}
	for _, n := range c.routeMentions {
		next[n.from] = append(next[n.from], n.to)
	}
	for _, n := range c.routeMentions[:min(len(c.routeMentions), maxProblems)] {
		if leadsTo(next, n.to, n.from, map[string]bool{}) {
			c.reportProblem(n.at, CodeCycle, "route %q leads back to route %q: routes must not refer to each other", n.to, n.from)
			continue
		}
		c.reportProblem(n.at, CodeUnknownModel, "%q is a route: a rule can only choose models", n.to)
	}
}

// leadsTo reports whether to can be reached from from through the mentions.
func leadsTo(next map[string][]string, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(next[from], func(name string) bool {
		return !seen[name] && leadsTo(next, name, to, seen)
	})
}
