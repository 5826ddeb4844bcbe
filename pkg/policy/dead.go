package policy

import (
	"slices"
)

// deadRules finds rules that never apply, because one before them always does,
// or applies whenever they would.
func (c *compiler) deadRules(all []Rule, at []value) {
	for i := range all {
		for k := range i {
			before := &all[k]
			if !before.acts() || !before.covers(&all[i]) {
				continue
			}
			if len(before.When) == 0 {
				c.fail(at[i], CodeDeadRule, "an entry before this one always applies, so that this one never would")
			} else {
				c.fail(at[i], CodeDeadRule, "select[%d] applies whenever this one would, so that this one never does", k)
			}
			break
		}
	}
}

// acts tells whether the rule ends the reading; one with faults does not.
func (r *Rule) acts() bool { return r.Target != "" || r.Deny != "" || len(r.Candidates) > 0 }

// covers tells whether the rule applies whenever the other one does.
func (r *Rule) covers(other *Rule) bool {
	return !slices.ContainsFunc(r.When, func(c Condition) bool {
		return !slices.ContainsFunc(other.When, func(narrow Condition) bool { return narrow.implies(c) })
	})
}

// implies tells whether the wide condition holds whenever this one does, as far
// as that can be seen.
func (c Condition) implies(wide Condition) bool {
	if c.Field != wide.Field || c.Name != wide.Name || (c.Is == nil) != (wide.Is == nil) {
		return false
	}
	if c.Is != nil && *c.Is != *wide.Is {
		return false
	}
	if c.Window != nil && wide.Window != nil && !wide.Window.holds(*c.Window) {
		return false
	}
	if len(c.In) == 0 && len(wide.In) > 0 || slices.ContainsFunc(c.In, func(word string) bool { return !slices.Contains(wide.In, word) }) {
		return false
	}
	return (wide.Min == nil || c.Min != nil && *c.Min >= *wide.Min) && (wide.Max == nil || c.Max != nil && *c.Max <= *wide.Max)
}
