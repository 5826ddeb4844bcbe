package litellm

import (
	"cmp"
	"math"
	"slices"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// strategies maps LiteLLM's routing strategies to ours.
var strategies = map[string]string{
	"": "weighted", "simple-shuffle": "weighted", "latency-based-routing": "fastest",
	"cost-based-routing": "cheapest", "lowest-cost": "cheapest",
}

// newRule chooses between the deployments of a group.
func (c *converter) newRule(all []candidate) draft.Rule {
	if len(all) == 1 {
		return draft.Rule{Target: all[0].model}
	}
	if slices.ContainsFunc(all, func(d candidate) bool { return d.Params.Order > 0 }) {
		all = slices.Clone(all)
		slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.Params.Order, b.Params.Order) })
		return draft.Rule{Strategy: "ordered", Candidates: modelsOf(all)}
	}
	wanted := cmp.Or(c.config.Router.Strategy, c.config.Settings.Strategy)
	strategy, known := strategies[wanted]
	if !known {
		c.Note("routing_strategy %q: requests are spread at random; limits and health of each provider still apply", wanted)
		strategy = "weighted"
	}
	rule := draft.Rule{Strategy: strategy, Candidates: modelsOf(all)}
	if strategy == "weighted" {
		rule.Weights = weightsOf(all)
	}
	return rule
}

func modelsOf(all []candidate) (names []string) {
	for _, d := range all {
		names = append(names, d.model)
	}
	return names
}

// weightsOf returns whole numbers in the proportion of the weights, else of the requests
// or tokens per minute, as LiteLLM does.
func weightsOf(all []candidate) map[string]int {
	weights := map[string]int{}
	by := weightField(all)
	largest := 0.0
	for _, d := range all {
		largest = max(largest, by(d))
	}
	for _, d := range all {
		weights[d.model] = max(0, int(math.Round(by(d)/largest*maxWeight)))
	}
	return reduce(weights)
}

// maxWeight is the largest weight that is written. It keeps shares to the percent.
const maxWeight = 100

func weightField(all []candidate) func(candidate) float64 {
	for _, by := range []func(candidate) float64{
		func(d candidate) float64 { return d.Params.Weight },
		func(d candidate) float64 { return float64(d.Params.RPM) },
		func(d candidate) float64 { return float64(d.Params.TPM) },
	} {
		if slices.ContainsFunc(all, func(d candidate) bool { return by(d) > 0 }) {
			return by
		}
	}
	return func(candidate) float64 { return 1 }
}

// reduce divides the weights by their greatest common divisor.
func reduce(weights map[string]int) map[string]int {
	divisor := 0
	for _, w := range weights {
		for a := w; a != 0; {
			divisor, a = a, divisor%a
		}
	}
	for name := range weights {
		weights[name] /= max(1, divisor)
	}
	return weights
}

// fallbacksOf returns the groups that LiteLLM tries after a group, in order.
func (c *converter) fallbacksOf(group string) (all []string) {
	for _, s := range []settings{c.config.Router, c.config.Settings} {
		for _, list := range slices.Concat(s.Fallbacks, s.ContextFallbacks) {
			all = append(all, list[group]...)
			all = append(all, list["*"]...)
		}
		all = append(all, s.DefaultFallbacks...)
	}
	return slices.DeleteFunc(draft.Unique(all), func(name string) bool { return name == group })
}

// setFallbacks writes on_failure of every route, when the models of all groups are known.
func (c *converter) setFallbacks() {
	for _, group := range c.groups {
		r := c.Routes.Find(draft.CleanName(group, "._-:/@"))
		if r == nil || r.Kind != "" {
			continue
		}
		for _, other := range c.fallbacksOf(group) {
			if len(c.byGroup[other]) == 0 {
				c.Note("fallback of %q: there is no model %q", group, other)
			}
			r.OnFailure = append(r.OnFailure, modelsOf(c.byGroup[other])...)
		}
		r.OnFailure = draft.Unique(r.OnFailure)
	}
}

// addAuto adds the route auto over all chat models with a price, because an aim compares
// costs.
func (c *converter) addAuto() {
	var all []string
	for _, group := range c.groups {
		for _, d := range c.byGroup[group] {
			if !d.isEmbedding() && c.hasPrice(d) {
				all = append(all, d.model)
			}
		}
	}
	if all = draft.Unique(all); len(all) == 0 || c.Routes.Find("auto") != nil || c.Models.Find("auto") != nil {
		return
	}
	c.Routes.Add("auto", draft.Route{Select: []draft.Rule{{Aim: "balanced", Candidates: all}}})
	c.Note(`the route "auto" is new: clients that send the model "auto" get the best balance of quality and cost`)
}
