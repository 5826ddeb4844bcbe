package portkey

import (
	"math"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// routeName is the name that clients send. Portkey applies a config to any model.
const routeName = "auto"

type converter struct{ *draft.Policy }

// Convert returns the policy for a config.
func Convert(text []byte, cat *catalog.Catalog) (*draft.Policy, error) {
	root, err := readConfig(text)
	if err != nil {
		return nil, err
	}
	c := converter{draft.New(cat)}
	r := c.newRoute(*root)
	if len(r.Candidates()) > 0 {
		c.Routes.Add(routeName, r)
		c.Note("clients must send the model %q: Portkey applies a config by its id, and a policy by the name of a route", routeName)
	} else {
		c.Note("no target sets a model, so there is no route; clients request models by name")
	}
	c.setDefaults(*root)
	return c.Policy, nil
}

// newRoute converts the outermost strategy.
func (c converter) newRoute(t target) draft.Route {
	c.noteParts(t)
	switch t.Strategy.Mode {
	case "conditional":
		return c.newConditional(t)
	case "fallback":
		if len(t.Targets) == 0 {
			break
		}
		first, rest := c.ruleOf(t.Targets[0], t), []string{}
		for _, other := range t.Targets[1:] {
			rest = append(rest, c.candidatesOf(other, t)...)
		}
		return draft.Route{Select: compact(first), OnFailure: draft.Unique(rest)}
	}
	return draft.Route{Select: compact(c.ruleOf(t, target{}))}
}

// compact drops a rule without candidates.
func compact(rules ...draft.Rule) (all []draft.Rule) {
	for _, r := range rules {
		if r.Target != "" || len(r.Candidates) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// ruleOf converts a target, which may contain others, into one rule. Settings that it does
// not have come from the outer target.
func (c converter) ruleOf(t, outer target) draft.Rule {
	t = inherit(t, outer)
	if len(t.Targets) == 0 {
		return ruleFor(c.candidatesOf(t, outer), "ordered", nil)
	}
	if t.Strategy.Mode != "loadbalance" {
		return ruleFor(c.candidatesOf(t, outer), "ordered", nil)
	}
	weights, shares := map[string]int{}, map[string]float64{}
	var all []string
	for _, inner := range t.Targets {
		for _, name := range c.candidatesOf(inner, t) {
			if share, again := shares[name]; again && share != weightOf(inner) {
				c.Note("targets of %s differ only in their keys: their weights are not carried over; write weight beside ref of each key", name)
			}
			shares[name] = weightOf(inner)
			weights[name] += int(math.Round(100 * weightOf(inner)))
			all = append(all, name)
		}
	}
	return ruleFor(draft.Unique(all), "weighted", weights)
}

func ruleFor(candidates []string, strategy string, weights map[string]int) draft.Rule {
	if len(candidates) == 1 {
		return draft.Rule{Target: candidates[0]}
	}
	return draft.Rule{Strategy: strategy, Weights: weights, Candidates: candidates}
}

// weightOf returns the weight of a target, which is 1 if it has none.
func weightOf(t target) float64 {
	if t.Weight == nil {
		return 1
	}
	return max(0, *t.Weight)
}

// candidatesOf returns the models of a target and of the targets in it, in order.
func (c converter) candidatesOf(t, outer target) (all []string) {
	t = inherit(t, outer)
	if len(t.Targets) == 0 {
		if name := c.addModel(t); name != "" {
			all = append(all, name)
		}
		return all
	}
	for _, inner := range t.Targets {
		all = append(all, c.candidatesOf(inner, t)...)
	}
	return draft.Unique(all)
}

// inherit fills the settings that a target takes from the outer one.
func inherit(t, outer target) target {
	if t.Timeout == 0 {
		t.Timeout = outer.Timeout
	}
	if t.Provider == "" && t.VirtualKey == "" && t.APIKey == "" {
		t.Provider, t.VirtualKey, t.APIKey, t.Host = outer.Provider, outer.VirtualKey, outer.APIKey, outer.Host
	}
	if t.Override == nil {
		t.Override = outer.Override
	}
	return t
}

// setDefaults writes the retries of the outermost target.
func (c converter) setDefaults(t target) {
	attempts := t.Retry.Attempts
	for _, inner := range t.Targets {
		attempts = max(attempts, inner.Retry.Attempts)
	}
	if attempts > 0 {
		c.Defaults = &draft.Defaults{Retries: &draft.Retries{Max: min(attempts, 5)}}
	}
	if len(t.Retry.StatusCodes) > 0 || len(t.Strategy.StatusCodes) > 0 {
		c.Note("on_status_codes: retries.on names kinds of failures instead of status codes; without it, every kind is retried")
	}
	if len(c.Models) > 0 {
		if c.Defaults == nil {
			c.Defaults = &draft.Defaults{}
		}
		c.Defaults.Baseline = c.Models[0].Name
		c.Note("defaults.baseline is %s, the first model of the config: savings are compared with it", c.Models[0].Name)
	}
}

func (t target) timeouts() *draft.Timeouts {
	if t.Timeout <= 0 {
		return nil
	}
	return &draft.Timeouts{Total: (time.Duration(t.Timeout) * time.Millisecond).String()}
}

// label names a target in notes.
func (t target) label() string {
	for _, name := range []string{t.Name, t.VirtualKey, strings.TrimPrefix(t.Provider, "@")} {
		if name != "" {
			return name
		}
	}
	return "?"
}
