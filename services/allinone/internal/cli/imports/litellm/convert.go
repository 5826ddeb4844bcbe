package litellm

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// converter converts one configuration.
type converter struct {
	*draft.Policy
	config *config
	// groups holds the groups in the order of the file. byGroup holds the models of each.
	groups  []string
	byGroup map[string][]candidate
}

// candidate is a deployment whose provider is in the document.
type candidate struct {
	deployment
	provider, upstream string
	// model is its name in the document.
	model string
}

// Convert returns the policy for a config.yaml.
func Convert(text []byte, cat *catalog.Catalog) (*draft.Policy, error) {
	cfg, err := readConfig(text)
	if err != nil {
		return nil, err
	}
	c := &converter{Policy: draft.New(cat), config: cfg, byGroup: map[string][]candidate{}}
	for _, d := range cfg.Models {
		c.addDeployment(d)
	}
	for _, g := range c.groups {
		c.addGroup(g)
	}
	c.setFallbacks()
	c.addAliases()
	c.addAuto()
	c.setDefaults()
	c.noteRest()
	return c.Policy, nil
}

// addDeployment adds the provider of a deployment and the deployment to its group.
func (c *converter) addDeployment(d deployment) {
	if reason := c.whyUnserved(d); reason != "" {
		c.Note("model_name %q: %s, so the deployment is left out", d.Name, reason)
		return
	}
	provider, upstream, ok := c.resolve(d)
	if !ok {
		return
	}
	if strings.Contains(d.Name, "*") || strings.Contains(upstream, "*") {
		c.Note("model_name %q: clients can request every catalog model of the provider %s by its own name; wildcards are not needed", d.Name, provider)
		return
	}
	c.noteParams(d)
	if !slices.Contains(c.groups, d.Name) {
		c.groups = append(c.groups, d.Name)
	}
	added := candidate{deployment: d, provider: provider, upstream: upstream}
	c.setMode(&added)
	c.addToGroup(added)
}

// addToGroup adds a deployment to its group. Two deployments that differ only in their keys
// are one: the provider has both keys.
func (c *converter) addToGroup(d candidate) {
	group := c.byGroup[d.Name]
	for i := range group {
		if group[i].provider == d.provider && group[i].upstream == d.upstream {
			group[i].Params.Weight += d.Params.Weight
			return
		}
	}
	c.byGroup[d.Name] = append(group, d)
}

// addGroup adds the models of a group, and a route if one model is not enough.
func (c *converter) addGroup(group string) {
	name, all := c.nameOf(group), c.byGroup[group]
	switch {
	case all[0].isEmbedding():
		c.addEmbeddings(name, all)
	case len(all) == 1 && len(c.fallbacksOf(group)) == 0:
		all[0].model = c.Models.Add(name, c.newModel(all[0]))
	default:
		for i := range all {
			all[i].model = c.Models.Add(name+"/"+all[i].provider, c.newModel(all[i]))
		}
		c.Routes.Add(name, draft.Route{Select: []draft.Rule{c.newRule(all)}})
	}
}

// addEmbeddings adds one model with all endpoints of the group, because vectors of
// different models cannot be compared.
func (c *converter) addEmbeddings(name string, all []candidate) {
	m := c.newModel(all[0])
	for _, other := range all[1:] {
		endpoint := draft.Endpoint{Provider: other.provider, Model: other.upstream}
		if !slices.ContainsFunc(m.Endpoints, func(e draft.Endpoint) bool { return e.Provider == other.provider }) {
			m.Endpoints = append(m.Endpoints, endpoint)
		}
	}
	all[0].model = c.Models.Add(name, m)
	if c.Routes.Find("auto-embed") == nil {
		c.Routes.Add("auto-embed", draft.Route{Kind: "embeddings", Select: []draft.Rule{{Target: all[0].model}}})
	}
}

// newModel describes a deployment. The catalog knows the rest if it knows the endpoint.
func (c *converter) newModel(d candidate) draft.Model {
	m := draft.Model{
		Like:      c.catalogModelOf(d),
		Endpoints: []draft.Endpoint{{Provider: d.provider, Model: d.upstream}},
		Price:     c.priceOf(d), Context: d.Info.MaxInput, MaxOutput: d.Info.MaxOutput,
	}
	if d.isEmbedding() {
		m.Kind = "embeddings"
	}
	return m
}

// nameOf returns the name of a group in the document.
func (c *converter) nameOf(group string) string {
	name := draft.CleanName(group, "._-:/@")
	if name != group {
		c.Note("model_name %q is now %q: names have letters, digits and ._-:/@", group, name)
	}
	return name
}

// addAliases adds model_group_alias. An alias of a route is a route with the same rules.
func (c *converter) addAliases() {
	for _, s := range []settings{c.config.Router, c.config.Settings} {
		for _, alias := range names(s.Aliases) {
			c.addAlias(alias, s.Aliases[alias])
		}
	}
}

func (c *converter) addAlias(alias string, to any) {
	if fields, ok := to.(map[string]any); ok {
		to = fields["model"]
	}
	group, _ := to.(string)
	name, target := c.nameOf(alias), draft.CleanName(group, "._-:/@")
	if m := c.Models.Find(target); m != nil {
		m.Aliases = append(m.Aliases, name)
	} else if r := c.Routes.Find(target); r != nil {
		c.Routes.Add(name, *r)
	} else {
		c.Note("model_group_alias %q: there is no model %q", alias, group)
	}
}
