package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) tests(v value, r *Route) []Test {
	var all []Test
	seen := map[string]bool{}
	for _, item := range c.items(v) {
		t := c.test(item, r)
		if t.Name != "" && seen[t.Name] {
			c.fail(item, CodeDuplicateEntry, "there are two tests %q", t.Name)
		}
		seen[t.Name] = true
		all = append(all, t)
	}
	return all
}

func (c *compiler) test(v value, r *Route) (t Test) {
	f := c.fields(v, "name", "request", "key", "budget_used", "at", "down", "expect")
	place := v.problem("", "", "")
	t.Line, t.Column = place.Line, place.Column
	if n, ok := f["name"]; ok {
		t.Name = c.label(n, maxName)
	}
	request, asked := f["request"]
	expect, expected := f["expect"]
	if t.Name == "" || !asked || !expected {
		c.fail(v, CodeMissingField, "a test needs name, request and expect")
		return t
	}
	if _, ok := request.node.(ast.MapNode); !ok {
		c.fail(request, CodeWrongType, "want the body of a request")
	} else {
		t.Request = c.json(request)
	}
	t.Key = c.testKey(f["key"])
	if b, ok := f["budget_used"]; ok {
		if n, ok := c.bound(b, 1); ok {
			t.BudgetUsed = &n
		}
	}
	if a, ok := f["at"]; ok {
		t.At = c.moment(a)
	}
	if d, ok := f["down"]; ok {
		t.Down = c.downs(d, r.Kind)
	}
	t.Expect = c.expect(expect, r)
	return t
}

func (c *compiler) testKey(v value) (k TestKey) {
	f := c.fields(v, "id", "account", "tags", "models", "may_swap_model")
	if v, ok := f["id"]; ok {
		k.ID, _ = c.text(v)
	}
	if v, ok := f["account"]; ok {
		k.Account, _ = c.text(v)
	}
	if v, ok := f["tags"]; ok {
		k.Tags, _ = c.texts(v)
	}
	if v, ok := f["models"]; ok {
		k.Models, _ = c.texts(v)
	}
	if v, ok := f["may_swap_model"]; ok {
		k.MaySwapModel = c.flag(v)
	}
	return k
}

// moment is a time to the minute.
func (c *compiler) moment(v value) time.Time {
	text, ok := c.text(v)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		c.fail(v, CodeBadValue, "want a time such as 2026-11-15T09:30:00Z")
	}
	return t.UTC().Truncate(time.Minute)
}

func (c *compiler) downs(v value, kind catalog.Kind) []string {
	names := c.placeList(v, kind)
	slices.Sort(names)
	return names
}

func (c *compiler) expect(v value, r *Route) (e Expect) {
	f := c.fields(v, "model", "provider", "route", "reason", "rule", "code")
	if len(f) == 0 {
		c.fail(v, CodeMissingField, "want what should become of the request: model, provider, route, reason, rule or code")
	}
	if v, ok := f["model"]; ok {
		e.Model = c.modelName(v, r.Kind)
	}
	if v, ok := f["provider"]; ok {
		e.Provider, _ = c.text(v)
		c.requiredWord(v, RequireProvider, e.Provider, r.Kind)
	}
	if v, ok := f["route"]; ok {
		e.Route = c.oneOf(v, CodeBadValue, []string{"expected", "fallback", "policy"})
	}
	if v, ok := f["reason"]; ok {
		e.Reason, _ = c.text(v)
	}
	if v, ok := f["rule"]; ok {
		var labels []string
		for i := range r.Select {
			labels = append(labels, r.Label(i))
		}
		e.Rule = c.oneOf(v, CodeBadValue, labels)
	}
	if v, ok := f["code"]; ok {
		if e.Code, ok = c.text(v); ok && !apperr.Code(e.Code).Known() {
			c.fail(v, CodeBadValue, "%q is not the code of an error", e.Code)
		}
	}
	return e
}
