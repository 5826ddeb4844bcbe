package policy

import "slices"

// feasible finds rules of a route that no target could ever meet.
func (c *compiler) feasible(r *Route, at []value) {
	always := slices.Clone(r.Require)
	for i := range r.Select {
		rule := &r.Select[i]
		switch {
		case len(rule.Require) > 0 && len(rule.When) == 0:
			always = append(always, rule.Require...)
		case len(rule.Require) > 0:
			c.mustLeave(at[i], following(r, i), slices.Concat(always, rule.Require))
		case len(rule.Names()) > 0:
			c.mustLeave(at[i], rule.Names(), slices.Concat(always, asked(rule)))
		}
	}
}

// following are what the rules behind one may choose.
func following(r *Route, i int) []string {
	all := slices.Clone(r.OnFailure)
	for k := i + 1; k < len(r.Select); k++ {
		all = append(all, r.Select[k].Names()...)
	}
	return all
}

// asked is what a request has to need for the rule to apply, where that is one
// capability.
func asked(rule *Rule) []Requirement {
	var all []Requirement
	for _, c := range rule.When {
		if c.Field == FieldCapability && len(c.In) == 1 {
			all = append(all, Requirement{Field: RequireCapabilities, In: c.In})
		}
	}
	return all
}

// mustLeave makes sure that some of the named meet what is required.
func (c *compiler) mustLeave(at value, names []string, required []Requirement) {
	if len(required) == 0 || c.someMeets(names, required) {
		return
	}
	able := slices.DeleteFunc(slices.Clone(required), func(r Requirement) bool { return r.Field == RequireCapabilities })
	if len(able) < len(required) && c.someMeets(names, able) {
		c.fail(at, CodeImpossible, "nothing that could be chosen has the capabilities that are required")
		return
	}
	c.fail(at, CodeNoCandidate, "nothing that could be chosen meets what is required")
}

// someMeets is true also where a name leads nowhere, which was said before.
func (c *compiler) someMeets(names []string, required []Requirement) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		m, provider, ok := c.findPlace(name)
		return !ok || slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
			return (provider == "" || provider == e.Provider) && c.meetsAll(m, &e, required)
		})
	})
}

func (c *compiler) meetsAll(m *Model, e *Endpoint, required []Requirement) bool {
	var tags []string
	for _, p := range c.out.Providers {
		if p.Name == e.Provider {
			tags = p.Tags
		}
	}
	return !slices.ContainsFunc(required, func(r Requirement) bool { return !r.Meets(m, e, tags) })
}
