package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// placeName reads a model of this policy, or model@provider.
func (c *compiler) placeName(v value, kind catalog.Kind) string {
	name, ok := c.text(v)
	if !ok {
		return ""
	}
	if c.routeNames[name] {
		c.named = append(c.named, routeName{from: c.inRoute, to: name, at: v})
		return name
	}
	model, provider, pinned := cutLast(name)
	m, known := c.findModel(model)
	if _, whole := c.findModel(name); whole || !pinned || !known {
		return c.modelName(v, kind)
	}
	if m.Kind != kind {
		c.fail(v, CodeWrongKind, "%q is for %s, wanted is one for %s", model, m.Kind, kind)
	}
	if _, served := m.At(provider); !served || provider == "" {
		var near []string
		for _, e := range m.Endpoints {
			near = append(near, e.Provider)
		}
		c.failNear(v, CodeUnknownProvider, provider, near, "%q is not served at %q", model, provider)
	}
	return name
}

func cutLast(name string) (model, provider string, pinned bool) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return name, "", false
	}
	return name[:at], name[at+1:], true
}

// findPlace is Policy.Place before the policy is sealed.
func (c *compiler) findPlace(name string) (m *Model, provider string, ok bool) {
	if m, ok := c.findModel(name); ok {
		return m, "", true
	}
	model, provider, _ := cutLast(name)
	m, ok = c.findModel(model)
	return m, provider, ok && provider != ""
}

// maxPlaces bounds what every record has a verdict on.
const maxPlaces = 256

func (c *compiler) placeList(v value, kind catalog.Kind) []string {
	var all []string
	items := c.items(v)
	if len(items) > maxPlaces {
		c.fail(v, CodeTooLarge, "a list of models has at most %d", maxPlaces)
		return nil
	}
	for _, item := range items {
		name := c.placeName(item, kind)
		if slices.Contains(all, name) {
			c.fail(item, CodeDuplicateEntry, "%q is listed twice", name)
			continue
		}
		all = append(all, name)
	}
	return all
}

// routeName is a route's name where a model's should be.
type routeName struct {
	from, to string
	at       value
}

// checkRouteNames tells routes that go round in a circle from those that are
// only named where no route can be.
func (c *compiler) checkRouteNames() {
	next := map[string][]string{}
	for _, n := range c.named {
		next[n.from] = append(next[n.from], n.to)
	}
	for _, n := range c.named[:min(len(c.named), maxProblems)] {
		if leads(next, n.to, n.from, map[string]bool{}) {
			c.fail(n.at, CodeCycle, "%q leads back to %q, so that it would never end", n.to, n.from)
			continue
		}
		c.fail(n.at, CodeUnknownModel, "%q is a route, and a route chooses among models", n.to)
	}
}

// leads tells whether one follows from another by the names in them.
func leads(next map[string][]string, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(next[from], func(name string) bool {
		return !seen[name] && leads(next, name, to, seen)
	})
}
