package policy

import "slices"

// addUnlistedModels adds the catalog models that the document does not list, but whose
// provider the document configures. Clients can request these models by name. Routes never
// choose them.
func (c *compiler) addUnlistedModels(providers []Provider) {
	listed := slices.Clone(c.policy.Models)
	for _, known := range c.catalog.Models() {
		if c.isNameTaken(known.ID, listed) {
			continue
		}
		m := Model{Model: known.Model, Unlisted: true}
		m.Capabilities = slices.Sorted(slices.Values(m.Capabilities))
		for _, e := range known.Endpoints {
			if c.hasCatalogProvider(providers, e.Provider) {
				m.Endpoints = append(m.Endpoints, Endpoint{Provider: e.Provider, UpstreamModel: e.Model})
			}
		}
		if len(m.Endpoints) > 0 {
			c.resolveWires(m.Endpoints, false)
			c.fillEndpointDefaults(nil, &m, known)
			c.policy.Models = append(c.policy.Models, m)
		}
	}
}

// isNameTaken reports whether the document uses the name for a model, an alias or a
// route.
func (c *compiler) isNameTaken(name string, listed []Model) bool {
	_, alias := c.writtenAliases[name]
	return alias || slices.ContainsFunc(listed, func(m Model) bool { return m.ID == name }) ||
		slices.ContainsFunc(c.policy.Routes, func(r Route) bool { return r.Name == name })
}

// hasCatalogProvider reports whether the document configures a provider with the name
// and the kind of the catalog's provider.
func (c *compiler) hasCatalogProvider(providers []Provider, name string) bool {
	known, ok := c.catalog.Provider(name)
	return ok && slices.ContainsFunc(providers, func(p Provider) bool { return p.Name == name && p.Kind == known.Kind })
}

// indexModels indexes models by id and by alias. An id takes precedence over an
// alias, and a listed model takes precedence over an unlisted model.
func indexModels(models []Model) (byID, byAlias map[string]*Model) {
	byID, byAlias = map[string]*Model{}, map[string]*Model{}
	for i := range models {
		byID[models[i].ID] = &models[i]
	}
	for _, unlisted := range []bool{false, true} {
		for i := range models {
			if m := &models[i]; m.Unlisted == unlisted {
				addAliases(byAlias, byID, m)
			}
		}
	}
	return byID, byAlias
}

func addAliases(byAlias, byID map[string]*Model, m *Model) {
	for _, name := range m.Aliases {
		if byID[name] == nil && byAlias[name] == nil {
			byAlias[name] = m
		}
	}
}
