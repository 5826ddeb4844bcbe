package policy

import "slices"

// unlisted adds the catalog's other models that the written providers serve:
// who names one of them gets it. No route chooses them.
func (c *compiler) unlisted(providers []Provider) {
	listed := slices.Clone(c.out.Models)
	for _, known := range c.cat.Models() {
		if c.taken(known.ID, listed) {
			continue
		}
		m := Model{Model: known.Model, Unlisted: true}
		m.Capabilities = slices.Sorted(slices.Values(m.Capabilities))
		for _, e := range known.Endpoints {
			if c.serves(providers, e.Provider) {
				m.Endpoints = append(m.Endpoints, Endpoint{Provider: e.Provider, Upstream: e.Model})
			}
		}
		if len(m.Endpoints) > 0 {
			c.wires(m.Endpoints, false)
			c.terms(nil, &m, known)
			c.out.Models = append(c.out.Models, m)
		}
	}
}

// taken tells whether the document uses a name itself.
func (c *compiler) taken(name string, listed []Model) bool {
	_, alias := c.written[name]
	return alias || slices.ContainsFunc(listed, func(m Model) bool { return m.ID == name }) ||
		slices.ContainsFunc(c.out.Routes, func(r Route) bool { return r.Name == name })
}

// serves tells whether a provider is written and is the one the catalog knows
// by that name.
func (c *compiler) serves(providers []Provider, name string) bool {
	known, ok := c.cat.Provider(name)
	return ok && slices.ContainsFunc(providers, func(p Provider) bool { return p.Name == name && p.Kind == known.Kind })
}

// index makes a policy searchable by every name of its models. An id comes
// before an alias, and a listed model before one that is not.
func index(models []Model) (ids, names map[string]*Model) {
	ids, names = map[string]*Model{}, map[string]*Model{}
	for i := range models {
		ids[models[i].ID] = &models[i]
	}
	for _, unlisted := range []bool{false, true} {
		for i := range models {
			if m := &models[i]; m.Unlisted == unlisted {
				enter(names, ids, m)
			}
		}
	}
	return ids, names
}

func enter(names, ids map[string]*Model, m *Model) {
	for _, name := range m.Aliases {
		if ids[name] == nil && names[name] == nil {
			names[name] = m
		}
	}
}
