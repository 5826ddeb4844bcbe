package policy

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) route(v value) {
	c.checkName(v, "._-:/@")
	if _, taken := c.findModel(v.name); taken {
		c.fail(value{path: v.path, key: v.key}, CodeNameTaken, "%q is also a model; callers could not tell them apart", v.name)
	}
	f := c.fields(v, "kind", "require", "select", "on_failure", "affinity", "tests")
	r := Route{Name: v.name, Kind: catalog.Chat, Select: []Rule{}}
	c.inRoute = v.name
	if k, ok := f["kind"]; ok {
		r.Kind = catalog.Kind(c.oneOf(k, CodeUnknownKind, []string{string(catalog.Chat), string(catalog.Embeddings)}))
	}
	if q, ok := f["require"]; ok {
		r.Require = c.requirements(q, r.Kind)
	}
	var at []value
	if s, ok := f["select"]; ok {
		r.Select, at = c.rules(s, r.Kind)
	} else {
		c.fail(v, CodeMissingField, "a route needs select: [{candidates: [...]}]")
	}
	if o, ok := f["on_failure"]; ok {
		r.OnFailure = c.placeList(o, r.Kind)
	}
	if a, ok := f["affinity"]; ok {
		r.Affinity = c.affinity(a, r.Kind)
	}
	c.oneEmbedding(v, r)
	c.deadRules(r.Select, at)
	c.feasible(&r, at)
	if t, ok := f["tests"]; ok {
		r.Tests = c.tests(t, &r)
	}
	c.out.Routes = append(c.out.Routes, r)
}

const defaultTTL = 10 * time.Minute

func (c *compiler) affinity(v value, kind catalog.Kind) *Affinity {
	a := &Affinity{Scope: ScopeConversation, TTL: defaultTTL, YieldsTo: []string{YieldBreaker, YieldRateLimit}}
	f := c.fields(v, "scope", "ttl", "yields_to")
	if kind == catalog.Embeddings {
		c.fail(v, CodeBadValue, "embeddings are no conversation")
	}
	if s, ok := f["scope"]; ok {
		a.Scope = c.oneOf(s, CodeBadValue, []string{ScopeConversation})
	}
	if t, ok := f["ttl"]; ok {
		a.TTL = c.duration(t)
	}
	if y, ok := f["yields_to"]; ok {
		words, at := c.texts(y)
		for i := range words {
			c.oneOf(at[i], CodeBadValue, []string{YieldBreaker, YieldRateLimit})
		}
		slices.Sort(words)
		a.YieldsTo = append([]string{}, words...)
	}
	return a
}

// oneEmbedding holds embedding routes to one model: vectors of different
// models cannot be compared, so only the model's providers may stand in.
func (c *compiler) oneEmbedding(v value, r Route) {
	if r.Kind != catalog.Embeddings {
		return
	}
	var models []string
	for _, name := range r.Names() {
		if m, _, ok := c.findPlace(name); ok {
			models = append(models, m.ID)
		}
	}
	if len(unique(models)) > 1 {
		c.fail(value{path: v.path, key: v.key}, CodeEmbeddingRoute, "an embeddings route names one model: vectors of different models cannot be compared")
	}
}
