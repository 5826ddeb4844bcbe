package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxRules bounds what every request is held against.
const maxRules = 1000

func (c *compiler) rules(v value, kind catalog.Kind) (all []Rule, at []value) {
	all, at = []Rule{}, c.items(v)
	if len(at) > maxRules {
		c.fail(v, CodeTooLarge, "select has at most %d entries", maxRules)
		return all, nil
	}
	for _, item := range at {
		all = append(all, c.rule(item, kind))
	}
	if len(at) == 0 {
		c.fail(v, CodeMissingField, "select needs an entry")
		return all, at
	}
	c.uniqueNames(all, at)
	if last := len(all) - 1; len(all[last].When) > 0 || !all[last].Terminal() {
		c.fail(at[last], CodeMissingField, "the last entry must always apply: write one without when, with candidates, a target or deny")
	}
	return all, at
}

func (c *compiler) uniqueNames(all []Rule, at []value) {
	seen := map[string]bool{}
	for i, r := range all {
		if r.Name != "" && seen[r.Name] {
			c.fail(at[i], CodeDuplicateEntry, "there are two rules %q", r.Name)
		}
		seen[r.Name] = true
	}
}

func (c *compiler) rule(v value, kind catalog.Kind) (r Rule) {
	f := c.fields(v, "name", "when", "target", "deny", "require", "strategy", "candidates", "min_quality", "weights", "topic")
	if n, ok := f["name"]; ok {
		r.Name = c.label(n, maxName)
	}
	if w, ok := f["when"]; ok {
		r.When = c.conditions(w)
	}
	actions := 0
	for _, name := range []string{"target", "deny", "require", "candidates"} {
		if _, ok := f[name]; ok {
			actions++
		}
	}
	if actions != 1 {
		c.fail(v, CodeAmbiguousSelection, "want one of target, deny, require or candidates")
		return r
	}
	c.action(f, &r, kind)
	return r
}

const maxDeny = 500

func (c *compiler) action(f map[string]value, r *Rule, kind catalog.Kind) {
	if v, ok := f["candidates"]; ok {
		c.strategy(v, f, r, kind)
		return
	}
	for _, name := range []string{"strategy", "min_quality", "weights", "topic"} {
		if v, ok := f[name]; ok {
			c.fail(v, CodeBadValue, "%s goes with candidates", name)
		}
	}
	if v, ok := f["target"]; ok {
		r.Target = c.placeName(v, kind)
	}
	if v, ok := f["deny"]; ok {
		r.Deny = c.label(v, maxDeny)
	}
	if v, ok := f["require"]; ok {
		if r.Require = c.requirements(v, kind); len(r.Require) == 0 {
			c.fail(v, CodeBadValue, "this narrows nothing")
		}
	}
}

// label is a text of one line for people.
func (c *compiler) label(v value, most int) string {
	text, ok := c.text(v)
	if ok && (strings.TrimSpace(text) == "" || len(text) > most || strings.ContainsAny(text, "\r\n\t\x00")) {
		c.fail(v, CodeBadValue, "want a text of one line, at most %d bytes", most)
	}
	return text
}

func (c *compiler) strategy(candidates value, f map[string]value, r *Rule, kind catalog.Kind) {
	r.Strategy = Ordered
	if v, ok := f["strategy"]; ok {
		r.Strategy = Strategy(c.oneOf(v, CodeBadValue, strategies()))
	}
	r.Candidates = c.placeList(candidates, kind)
	if len(r.Candidates) == 0 {
		c.fail(candidates, CodeMissingField, "candidates needs a model")
	}
	if v, ok := f["min_quality"]; ok {
		r.MinQuality = c.share(v)
	}
	if v, ok := f["topic"]; ok {
		r.Topic = c.topic(v, r)
	}
	if v, ok := f["weights"]; ok {
		r.Weights = c.weights(v, r)
	}
	if r.Strategy == Cheapest || r.Strategy == Balanced {
		c.priced(candidates, r)
	}
}

// topic is one of which something is known of a candidate.
func (c *compiler) topic(v value, r *Rule) string {
	known := map[string]bool{}
	for _, name := range r.Candidates {
		if m, _, ok := c.findPlace(name); ok {
			for topic := range m.Quality {
				known[topic] = true
			}
		}
	}
	text, ok := c.text(v)
	if ok && !known[text] {
		c.failNear(v, CodeBadValue, text, slices.Sorted(maps.Keys(known)), "no candidate has a quality for the topic %q", text)
	}
	return text
}

func (c *compiler) weights(v value, r *Rule) map[string]int64 {
	all, sum := map[string]int64{}, int64(0)
	if r.Strategy != Weighted {
		c.fail(v, CodeBadValue, "weights go with strategy: weighted")
	}
	for _, e := range c.entries(v) {
		if !slices.Contains(r.Candidates, e.name) {
			c.failNear(value{path: e.path, key: e.key}, CodeUnknownModel, e.name, r.Candidates, "%q is not among the candidates", e.name)
			continue
		}
		all[e.name] = c.integer(e, 0, maxWeight)
		sum += all[e.name]
	}
	switch {
	case len(all) < len(r.Candidates):
		c.fail(v, CodeMissingField, "every candidate needs a weight; 0 keeps one for when the others fail")
	case sum == 0:
		c.fail(v, CodeWeightSumZero, "with weights of 0 alone nothing would be chosen")
	}
	return all
}

// priced finds candidates of which it cannot be told what they cost.
func (c *compiler) priced(v value, r *Rule) {
	for i, item := range c.items(v) {
		if i >= len(r.Candidates) {
			return
		}
		text, _ := c.text(item)
		m, provider, ok := c.findPlace(text)
		if ok && !slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
			return (provider == "" || provider == e.Provider) && len(m.PricesAt(&e)) > 0
		}) {
			c.fail(item, CodeUnpricedModel, "%q has no price: %s cannot compare it", text, r.Strategy)
		}
	}
}
