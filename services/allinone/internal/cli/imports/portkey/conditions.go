package portkey

import (
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// newConditional converts conditions on metadata into rules, in order. The last rule is the
// default target.
func (c converter) newConditional(t target) draft.Route {
	byName := map[string]target{}
	for _, inner := range t.Targets {
		byName[inner.Name] = inner
	}
	var rules []draft.Rule
	for _, cond := range t.Strategy.Conditions {
		when, ok := c.whenOf(cond)
		if !ok {
			continue
		}
		rule := c.ruleOf(byName[cond.Then], t)
		rule.Name, rule.When = draft.CleanName(cond.Then, "._-"), when
		rules = append(rules, rule)
	}
	last := c.ruleOf(byName[t.Strategy.Default], t)
	return draft.Route{Select: compact(append(rules, last)...)}
}

// whenOf converts a query of equalities on metadata. It notes any other query.
func (c converter) whenOf(cond condition) (map[string]any, bool) {
	when := map[string]any{}
	for name, want := range cond.Query {
		field, ok := strings.CutPrefix(name, "metadata.")
		values, ok2 := valuesOf(want)
		if !ok || !ok2 {
			c.Note("the condition for %q is left out: only $eq and $in on metadata have a counterpart", cond.Then)
			return nil, false
		}
		when["request.metadata."+field] = values
	}
	return when, len(when) > 0
}

// valuesOf returns the value of {"$eq": v} or the values of {"$in": [...]}.
func valuesOf(want any) (any, bool) {
	fields, ok := want.(map[string]any)
	if !ok {
		text, isText := want.(string)
		return text, isText
	}
	if len(fields) != 1 {
		return nil, false
	}
	if text, ok := fields["$eq"].(string); ok {
		return text, true
	}
	list, ok := fields["$in"].([]any)
	return list, ok && len(list) > 0
}
