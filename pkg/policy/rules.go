package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxRules bounds the number of rules that are evaluated for each request.
const maxRules = 1000

func (c *compiler) readRules(v value, kind catalog.Kind) (all []Rule, at []value) {
	all, at = []Rule{}, c.readItems(v)
	if len(at) > maxRules {
		c.reportProblem(v, CodeTooLarge, `too many rules: "select" can have at most %d`, maxRules)
		return all, nil
	}
	for _, item := range at {
		all = append(all, c.readRule(item, kind))
	}
	if len(at) == 0 {
		c.reportProblem(v, CodeMissingField, `"select" is empty: add a rule such as {candidates: [...]}`)
		return all, at
	}
	c.checkUniqueNames(all, at)
	if last := len(all) - 1; len(all[last].When) > 0 || !all[last].IsTerminal() {
		c.reportProblem(at[last], CodeMissingField, `the last rule must always apply: add a rule without "when" that has "candidates", "target" or "deny"`)
	}
	return all, at
}

func (c *compiler) checkUniqueNames(all []Rule, at []value) {
	seen := map[string]bool{}
	for i, r := range all {
		if r.Name != "" && seen[r.Name] {
			c.reportProblem(at[i], CodeDuplicateEntry, "two rules have the name %q: rename one", r.Name)
		}
		seen[r.Name] = true
	}
}

func (c *compiler) readRule(v value, kind catalog.Kind) (r Rule) {
	f := c.readFields(v, "name", "when", "target", "deny", "require", "strategy", "aim", "candidates", "min_quality", "weights", "topic")
	setField(f, "name", &r.Name, c.labelOf(maxNameLength))
	setField(f, "when", &r.When, c.readConditions)
	actions := 0
	for _, name := range []string{"target", "deny", "require", "candidates"} {
		if _, ok := f[name]; ok {
			actions++
		}
	}
	if actions != 1 {
		c.reportProblem(v, CodeAmbiguousSelection, `a rule needs exactly one of "target", "deny", "require" or "candidates"`)
		return r
	}
	c.readAction(f, &r, kind)
	return r
}

const maxDenyLength = 500

func (c *compiler) readAction(f map[string]value, r *Rule, kind catalog.Kind) {
	if v, ok := f["candidates"]; ok {
		c.readStrategy(v, f, r, kind)
		return
	}
	for _, name := range []string{"strategy", "aim", "min_quality", "weights", "topic"} {
		if v, ok := f[name]; ok {
			c.reportProblem(v, CodeBadValue, `%q can only be used with "candidates"`, name)
		}
	}
	if v, ok := f["target"]; ok {
		r.Target = c.readEndpointName(v, kind)
	}
	setField(f, "deny", &r.Deny, c.labelOf(maxDenyLength))
	if v, ok := f["require"]; ok {
		known := len(c.problems)
		if r.Require = c.readRequirements(v, kind); len(r.Require) == 0 && len(c.problems) == known {
			c.reportProblem(v, CodeBadValue, `"require" has no effect: add a requirement or remove the rule; "from_request" and "fits" apply to every request already`)
		}
	}
}

// labelOf returns a function that reads a label of at most maxBytes.
func (c *compiler) labelOf(maxBytes int) func(value) string {
	return func(v value) string { return c.readLabel(v, maxBytes) }
}

// readLabel reads a single line of text with at most maxBytes bytes.
func (c *compiler) readLabel(v value, maxBytes int) string {
	text, ok := c.readString(v)
	if ok && (strings.TrimSpace(text) == "" || len(text) > maxBytes || strings.ContainsAny(text, "\r\n\t\x00")) {
		c.reportProblem(v, CodeBadValue, "must be a single line of text of at most %d bytes", maxBytes)
	}
	return text
}

func (c *compiler) readStrategy(candidates value, f map[string]value, r *Rule, kind catalog.Kind) {
	c.readOrder(f, r, kind)
	r.Candidates = c.readEndpointNames(candidates, kind)
	if len(r.Candidates) == 0 {
		c.reportProblem(candidates, CodeMissingField, `"candidates" is empty: add a model`)
	}
	setField(f, "min_quality", &r.MinQuality, c.readShare)
	if v, ok := f["topic"]; ok {
		r.Topic = c.readTopic(v, r)
	}
	if v, ok := f["weights"]; ok {
		r.Weights = c.readWeights(v, r)
	}
	switch {
	case r.Strategy == Cheapest || r.Strategy == Balanced:
		c.checkPriced(candidates, r, fmt.Sprintf("the strategy %q", r.Strategy))
	case r.Aim != nil:
		c.checkPriced(candidates, r, "an aim")
	}
}

// readOrder reads what orders the candidates: a strategy or an aim.
func (c *compiler) readOrder(f map[string]value, r *Rule, kind catalog.Kind) {
	strategy, hasStrategy := f["strategy"]
	aim, hasAim := f["aim"]
	switch {
	case hasAim && hasStrategy:
		c.reportProblem(aim, CodeAmbiguousSelection, `a rule has either "aim" or "strategy", because both order the candidates: remove one of them`)
	case hasAim:
		r.Aim = c.readAim(aim, kind)
	case hasStrategy:
		r.Strategy = Strategy(c.readOneOf(strategy, CodeBadValue, strategyNames()))
	default:
		r.Strategy = Ordered
	}
}

// readTopic reads a topic. At least one candidate must have a quality for the topic.
func (c *compiler) readTopic(v value, r *Rule) string {
	known := map[string]bool{}
	for _, name := range r.Candidates {
		if m, _, ok := c.findEndpoint(name); ok {
			for topic := range m.Quality {
				known[topic] = true
			}
		}
	}
	text, ok := c.readString(v)
	if ok && !known[text] {
		c.reportUnknownName(v, CodeBadValue, text, slices.Sorted(maps.Keys(known)), `no candidate has a quality for the topic %q: add one under "models", or choose another topic`, text)
	}
	return text
}

func (c *compiler) readWeights(v value, r *Rule) map[string]int64 {
	all, sum := map[string]int64{}, int64(0)
	if r.Strategy != Weighted {
		c.reportProblem(v, CodeBadValue, `"weights" can only be used with "strategy: weighted"`)
	}
	for _, e := range c.readEntries(v) {
		if !slices.Contains(r.Candidates, e.name) {
			c.reportUnknownName(value{path: e.path, key: e.key}, CodeUnknownModel, e.name, r.Candidates, "%q is not one of the candidates", e.name)
			continue
		}
		all[e.name] = c.readInteger(e, 0, maxWeight)
		sum += all[e.name]
	}
	switch {
	case len(all) < len(r.Candidates):
		c.reportProblem(v, CodeMissingField, "every candidate needs a weight; a candidate with weight 0 is only a fallback")
	case sum == 0:
		c.reportProblem(v, CodeWeightSumZero, "all weights are 0: at least one must be positive")
	}
	return all
}

// checkPriced reports candidates without a price. comparer is what compares their costs.
func (c *compiler) checkPriced(v value, r *Rule, comparer string) {
	for i, item := range c.readItems(v) {
		if i >= len(r.Candidates) {
			return
		}
		text := r.Candidates[i]
		m, provider, ok := c.findEndpoint(text)
		if ok && !slices.ContainsFunc(m.Endpoints, func(e Endpoint) bool {
			return (provider == "" || provider == e.Provider) && len(m.EndpointPrices(&e)) > 0
		}) {
			c.reportProblem(item, CodeUnpricedModel, `%q has no price, so %s cannot compare it: add a price under "models"`, text, comparer)
		}
	}
}
