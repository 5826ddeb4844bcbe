package decide

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// demand is a requirement with the label of its rule. An empty rule means that the
// route itself has the requirement.
type demand struct {
	*policy.Requirement
	rule string
}

func (d *demand) describe() string {
	if d.rule == "" {
		return "the route requires " + formatRequirement(d.Requirement)
	}
	return "rule " + d.rule + " requires " + formatRequirement(d.Requirement)
}

// applyRoute finds the rule that decides for this question and stores the rule and
// its candidates in s.choice. If the rule denies the request, it returns an error.
func (s *selection) applyRoute(r *policy.Route) error {
	ruleIndex, c := s.collectDemands(r), &s.choice
	c.name, c.route, c.rule, c.ruleLabel = r.Name, r, &r.Select[ruleIndex], r.Label(ruleIndex)
	if c.rule.Deny != "" {
		type rule struct {
			ID   string `json:"id"`
			Rule string `json:"rule"`
		}
		return apperr.New(apperr.PolicyDenied, c.rule.Deny).With("rule", c.ruleLabel).With("policy", rule{s.policy.Version(), c.ruleLabel})
	}
	c.selected, c.fallbacks = r.SelectedEndpoints(ruleIndex), r.FallbackEndpoints()
	return nil
}

// collectDemands returns the index of the first applicable rule that chooses candidates
// or denies the request. It collects the requirements of the route and of the applicable
// rules before that index. The last rule always applies.
func (s *selection) collectDemands(r *policy.Route) (ruleIndex int) {
	demands := &s.choice.demands
	for i := range r.Require {
		*demands = append(*demands, demand{&r.Require[i], ""})
	}
	for i := range r.Select {
		rule := &r.Select[i]
		switch {
		case !ruleApplies(&s.question, rule):
		case rule.IsTerminal():
			return i
		default:
			for k := range rule.Require {
				*demands = append(*demands, demand{&rule.Require[k], r.Label(i)})
			}
		}
	}
	return len(r.Select) - 1
}

func ruleApplies(q *Question, r *policy.Rule) bool {
	for i := range r.When {
		if !conditionHolds(q, &r.When[i]) {
			return false
		}
	}
	return true
}
