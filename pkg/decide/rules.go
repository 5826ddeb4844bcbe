package decide

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// demand is a requirement with the rule that makes it; "" is the route itself.
type demand struct {
	*policy.Requirement
	rule string
}

func (d *demand) text() string {
	if d.rule == "" {
		return "the route requires " + wanted(d.Requirement)
	}
	return "rule " + d.rule + " requires " + wanted(d.Requirement)
}

// choose reads a route's rules for the question.
func (f *field) choose(r *policy.Route) error {
	at, c := f.read(r), &f.c
	c.name, c.route, c.rule, c.label = r.Name, r, &r.Select[at], r.Label(at)
	if c.rule.Deny != "" {
		type rule struct {
			ID   string `json:"id"`
			Rule string `json:"rule"`
		}
		return apperr.New(apperr.PolicyDenied, c.rule.Deny).With("rule", c.label).With("policy", rule{f.p.Version(), c.label})
	}
	c.selected, c.reserve = r.Selected(at), r.Reserve()
	return nil
}

// read collects what is demanded until the rule that makes the plan, and tells
// which one that is. The last rule always applies.
func (f *field) read(r *policy.Route) (at int) {
	demands := &f.c.demands
	for i := range r.Require {
		*demands = append(*demands, demand{&r.Require[i], ""})
	}
	for i := range r.Select {
		rule := &r.Select[i]
		switch {
		case !applies(&f.q, rule):
		case rule.Terminal():
			return i
		default:
			for k := range rule.Require {
				*demands = append(*demands, demand{&rule.Require[k], r.Label(i)})
			}
		}
	}
	return len(r.Select) - 1
}

func applies(q *Question, r *policy.Rule) bool {
	for i := range r.When {
		if !holds(q, &r.When[i]) {
			return false
		}
	}
	return true
}
