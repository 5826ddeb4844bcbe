package policy

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) route(v value) {
	c.checkName(v, "._-:/@")
	if _, taken := c.findModel(v.name); taken {
		c.fail(value{path: v.path, key: v.key}, CodeNameTaken, "%q is also a model; callers could not tell them apart", v.name)
	}
	f := c.fields(v, "kind", "require", "select", "on_failure")
	r := Route{Name: v.name, Kind: catalog.Chat, Select: []Selection{}}
	if k, ok := f["kind"]; ok {
		r.Kind = catalog.Kind(c.oneOf(k, CodeUnknownKind, []string{string(catalog.Chat), string(catalog.Embeddings)}))
	}
	if q, ok := f["require"]; ok {
		c.require(q)
	}
	if s, ok := f["select"]; ok {
		r.Select = c.selections(s, r.Kind)
	} else {
		c.fail(v, CodeMissingField, "a route needs select: [{candidates: [...]}]")
	}
	if o, ok := f["on_failure"]; ok {
		r.OnFailure = c.modelList(o, r.Kind)
	}
	c.oneEmbedding(v, r)
	c.out.Routes = append(c.out.Routes, r)
}

// require takes the two filters that always hold; writing them says so.
func (c *compiler) require(v value) {
	holds := map[string]string{"capabilities": "from_request", "context": "fits"}
	for _, item := range c.items(v) {
		for name, at := range c.fields(item, "capabilities", "context") {
			if text, ok := c.text(at); ok && text != holds[name] {
				c.fail(at, CodeBadValue, "want %s: %s", name, holds[name])
			}
		}
	}
}

func (c *compiler) selections(v value, kind catalog.Kind) []Selection {
	all := []Selection{}
	items := c.items(v)
	for i, item := range items {
		all = append(all, c.selection(item, kind))
		if i == 1 {
			c.fail(item, CodeUnreachable, "the entry before this one always applies, so this one never would")
		}
	}
	if len(items) == 0 {
		c.fail(v, CodeMissingField, "select needs an entry")
	}
	return all
}

func (c *compiler) selection(v value, kind catalog.Kind) Selection {
	f := c.fields(v, "name", "target", "candidates")
	s := Selection{Candidates: []string{}}
	if n, ok := f["name"]; ok {
		s.Name, _ = c.text(n)
	}
	target, one := f["target"]
	candidates, many := f["candidates"]
	switch {
	case one == many:
		c.fail(v, CodeAmbiguousSelection, "want either target or candidates")
	case one:
		s.Candidates = []string{c.modelName(target, kind)}
	default:
		s.Candidates = c.modelList(candidates, kind)
		if len(s.Candidates) == 0 {
			c.fail(candidates, CodeMissingField, "candidates needs a model")
		}
	}
	return s
}

func (c *compiler) modelList(v value, kind catalog.Kind) []string {
	var all []string
	for _, item := range c.items(v) {
		name := c.modelName(item, kind)
		if slices.Contains(all, name) {
			c.fail(item, CodeDuplicateEntry, "%q is listed twice", name)
			continue
		}
		all = append(all, name)
	}
	return all
}

// oneEmbedding holds embedding routes to one model: vectors of different
// models cannot be compared, so only the model's providers may stand in.
func (c *compiler) oneEmbedding(v value, r Route) {
	if r.Kind != catalog.Embeddings {
		return
	}
	several := slices.ContainsFunc(r.Select, func(s Selection) bool { return len(s.Candidates) > 1 })
	if several || len(r.OnFailure) > 0 {
		c.fail(value{path: v.path, key: v.key}, CodeEmbeddingRoute, "an embeddings route names one model: vectors of different models cannot be compared")
	}
}
