package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) readTests(v value, r *Route) []Test {
	var all []Test
	seen := map[string]bool{}
	for _, item := range c.readItems(v) {
		t := c.readTest(item, r)
		if t.Name != "" && seen[t.Name] {
			c.reportProblem(item, CodeDuplicateEntry, "two tests have the name %q: rename one", t.Name)
		}
		seen[t.Name] = true
		all = append(all, t)
	}
	return all
}

func (c *compiler) readTest(v value, r *Route) (t Test) {
	f := c.readFields(v, "name", "request", "key", "budget_used", "at", "down", "expect")
	position := v.newProblem("", "", "")
	t.Line, t.Column = position.Line, position.Column
	setField(f, "name", &t.Name, c.labelOf(maxNameLength))
	request, hasRequest := f["request"]
	expect, hasExpect := f["expect"]
	if t.Name == "" || !hasRequest || !hasExpect {
		c.reportProblem(v, CodeMissingField, `a test needs the fields "name", "request" and "expect"`)
		return t
	}
	if _, ok := request.node.(ast.MapNode); !ok {
		c.reportProblem(request, CodeWrongType, "must be a request body, such as {messages: [...]}")
	} else {
		t.Request = c.toJSON(request)
	}
	t.Key = c.readTestKey(f["key"])
	if b, ok := f["budget_used"]; ok {
		if n, ok := c.readNumber(b, 1); ok {
			t.BudgetUsed = &n
		}
	}
	setField(f, "at", &t.At, c.readTime)
	if d, ok := f["down"]; ok {
		t.Down = c.readDownEndpoints(d, r.Kind)
	}
	t.Expect = c.readExpectation(expect, r)
	return t
}

func (c *compiler) readTestKey(v value) (k TestKey) {
	f := c.readFields(v, "id", "account", "tags", "models", "may_swap_model")
	setField(f, "id", &k.ID, c.readText)
	setField(f, "account", &k.Account, c.readText)
	setField(f, "tags", &k.Tags, c.readTexts)
	setField(f, "models", &k.Models, c.readTexts)
	setField(f, "may_swap_model", &k.MaySwapModel, c.readBool)
	return k
}

// readTime reads a time and truncates it to the minute.
func (c *compiler) readTime(v value) time.Time {
	text, ok := c.readString(v)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		c.reportProblem(v, CodeBadValue, "must be a time such as 2026-11-15T09:30:00Z")
	}
	return t.UTC().Truncate(time.Minute)
}

func (c *compiler) readDownEndpoints(v value, kind catalog.Kind) []string {
	names := c.readEndpointNames(v, kind)
	slices.Sort(names)
	return names
}

// readExpectedModel reads a model, with or without a reasoning effort.
func (c *compiler) readExpectedModel(v value, kind catalog.Kind) string {
	full, ok := c.readString(v)
	if !ok {
		return ""
	}
	name, effort := SplitEffort(full)
	c.checkModelName(v, name, kind)
	if m, known := c.findModel(name); known {
		c.checkEffort(v, m, "", effort)
	}
	return full
}

func (c *compiler) readExpectation(v value, r *Route) (e Expectation) {
	f := c.readFields(v, "model", "provider", "route", "reason", "rule", "code")
	if len(f) == 0 {
		c.reportProblem(v, CodeMissingField, `"expect" is empty: add "model", "provider", "route", "reason", "rule" or "code"`)
	}
	setField(f, "model", &e.Model, func(v value) string { return c.readExpectedModel(v, r.Kind) })
	if v, ok := f["provider"]; ok {
		e.Provider, _ = c.readString(v)
		c.checkRequiredValue(v, RequireProvider, e.Provider, r.Kind)
	}
	if v, ok := f["route"]; ok {
		e.Route = c.readOneOf(v, CodeBadValue, []string{"expected", "fallback", "policy"})
	}
	setField(f, "reason", &e.Reason, c.readText)
	if v, ok := f["rule"]; ok {
		var labels []string
		for i := range r.Select {
			labels = append(labels, r.Label(i))
		}
		e.Rule = c.readOneOf(v, CodeBadValue, labels)
	}
	if v, ok := f["code"]; ok {
		if e.Code, ok = c.readString(v); ok && !apperr.Code(e.Code).IsKnown() {
			c.reportProblem(v, CodeBadValue, "unknown error code %q", e.Code)
		}
	}
	return e
}
