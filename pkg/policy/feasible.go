package policy

import "slices"

// checkFeasibility reports rules whose requirements no candidate can meet.
func (c *compiler) checkFeasibility(r *Route, at []value) {
	always := slices.Clone(r.Require)
	for i := range r.Select {
		rule := &r.Select[i]
		switch {
		case len(rule.Require) > 0 && len(rule.When) == 0:
			always = append(always, rule.Require...)
		case len(rule.Require) > 0:
			c.checkSatisfiable(at[i], laterModelNames(r, i), slices.Concat(always, rule.Require))
		case len(rule.ModelNames()) > 0:
			c.checkSatisfiable(at[i], rule.ModelNames(), slices.Concat(always, impliedRequirements(rule)))
		}
	}
}

// laterModelNames returns the models that may be chosen after rule i: those of the later
// rules and the fallbacks.
func laterModelNames(r *Route, i int) []string {
	all := slices.Clone(r.OnFailure)
	for k := i + 1; k < len(r.Select); k++ {
		all = append(all, r.Select[k].ModelNames()...)
	}
	return all
}

// impliedRequirements returns the capabilities that every request of the rule needs,
// because a condition of the rule requires them.
func impliedRequirements(rule *Rule) []Requirement {
	var all []Requirement
	for _, c := range rule.When {
		if c.Field == FieldCapability && len(c.In) == 1 {
			all = append(all, Requirement{Field: RequireCapabilities, In: c.In})
		}
	}
	return all
}

// checkSatisfiable reports a problem unless one of the named models meets all
// requirements.
func (c *compiler) checkSatisfiable(at value, names []string, required []Requirement) {
	if len(required) == 0 || c.anyMeets(names, required) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(required), func(r Requirement) bool { return r.Field == RequireCapabilities })
	if len(others) < len(required) && c.anyMeets(names, others) {
		c.reportProblem(at, CodeImpossible, "no model that the rule can choose has the required capabilities")
		return
	}
	c.reportProblem(at, CodeNoCandidate, "no model that the rule can choose meets the requirements")
}

// anyMeets reports whether one of the named models meets all requirements. An unknown
// name counts as a match, because it has already been reported.
func (c *compiler) anyMeets(names []string, required []Requirement) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		m, provider, ok := c.findEndpoint(name)
		return !ok || slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
			return (provider == "" || provider == e.Provider) && c.meetsAll(m, &e, required)
		})
	})
}

func (c *compiler) meetsAll(m *Model, e *Endpoint, required []Requirement) bool {
	var tags []string
	for _, p := range c.policy.Providers {
		if p.Name == e.Provider {
			tags = p.Tags
		}
	}
	return !slices.ContainsFunc(required, func(r Requirement) bool { return !r.IsMetBy(m, e, tags) })
}
