package policy

import (
	"slices"
)

// checkDeadRules reports rules that never apply, because an earlier rule ends the
// evaluation for every request that they match.
func (c *compiler) checkDeadRules(all []Rule, at []value) {
	for i := range all {
		for k := range i {
			before := &all[k]
			if !before.endsEvaluation() || !before.covers(&all[i]) {
				continue
			}
			if len(before.When) == 0 {
				c.reportProblem(at[i], CodeDeadRule, "this rule never applies, because an earlier rule always applies: remove this rule or move it up")
			} else {
				c.reportProblem(at[i], CodeDeadRule, "this rule never applies, because select[%d] applies to every request that matches this rule: remove this rule or move it up", k)
			}
			break
		}
	}
}

// endsEvaluation reports whether evaluation stops at the rule. Unlike IsTerminal, it
// returns false for a rule whose action is invalid.
func (r *Rule) endsEvaluation() bool { return r.Target != "" || r.Deny != "" || len(r.Candidates) > 0 }

// covers reports whether the rule applies whenever the other rule applies. It returns
// false if this is not certain.
func (r *Rule) covers(other *Rule) bool {
	return !slices.ContainsFunc(r.When, func(c Condition) bool {
		return !slices.ContainsFunc(other.When, func(narrow Condition) bool { return narrow.implies(c) })
	})
}

// implies reports whether the condition wide holds whenever c holds. It returns false if
// this is not certain.
func (c Condition) implies(wide Condition) bool {
	if c.Field != wide.Field || c.Name != wide.Name || (c.Is == nil) != (wide.Is == nil) {
		return false
	}
	if c.Is != nil && *c.Is != *wide.Is {
		return false
	}
	if c.Window != nil && wide.Window != nil && !wide.Window.containsWindow(*c.Window) {
		return false
	}
	if len(c.In) == 0 && len(wide.In) > 0 || slices.ContainsFunc(c.In, func(s string) bool { return !slices.Contains(wide.In, s) }) {
		return false
	}
	return (wide.Min == nil || c.Min != nil && *c.Min >= *wide.Min) && (wide.Max == nil || c.Max != nil && *c.Max <= *wide.Max)
}
