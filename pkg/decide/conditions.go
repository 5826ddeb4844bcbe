package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// holds tells whether a condition does. What is not known does not hold.
func holds(q *Question, c *policy.Condition) bool {
	switch c.Field {
	case policy.FieldKeyTag:
		return slices.ContainsFunc(q.Asker.Tags, func(tag string) bool { return slices.Contains(c.In, tag) })
	case policy.FieldKeyID:
		return slices.Contains(c.In, q.Asker.KeyID)
	case policy.FieldAccount:
		return slices.Contains(c.In, q.Asker.AccountID)
	case policy.FieldBudget:
		return q.BudgetUsed != nil && within(c, *q.BudgetUsed)
	case policy.FieldTime:
		return !q.At.IsZero() && c.Window.Has(q.At)
	case policy.FieldWeekday:
		return !q.At.IsZero() && slices.Contains(c.In, policy.Weekday(q.At))
	case policy.FieldMetadata:
		v, ok := q.Metadata[c.Name]
		return ok && slices.Contains(c.In, v)
	case policy.FieldStream:
		return (q.Features.Of("stream") != 0) == *c.Is
	case policy.FieldTokens:
		return within(c, q.InputTokens)
	case policy.FieldCapability:
		return slices.ContainsFunc(q.Needs, func(need catalog.Capability) bool { return slices.Contains(c.In, string(need)) })
	case policy.FieldFeature:
		return feature(q, c)
	}
	return false
}

func within(c *policy.Condition, n int64) bool {
	return (c.Min == nil || n >= *c.Min) && (c.Max == nil || n <= *c.Max)
}

func feature(q *Question, c *policy.Condition) bool {
	v, ok := q.Features.Get(c.Name)
	// Where the text was read, a feature that is left out is 0.
	ok = ok || q.Features.Of("lexical") != 0
	if c.Is != nil {
		return ok && (v != 0) == *c.Is
	}
	return ok && within(c, v)
}

// sayMet tells what the conditions of the rule met, with the values that made
// them hold, so that a person can follow.
func (f *field) sayMet() {
	when := f.c.rule.When
	for i := range when {
		c := &when[i]
		if i > 0 {
			f.say(", ")
		}
		f.say(c.Field)
		if c.Name != "" {
			f.say(".", c.Name)
		}
		f.say(" is ", met(&f.q, c))
	}
}

func met(q *Question, c *policy.Condition) string {
	switch c.Field {
	case policy.FieldKeyTag:
		return strings.Join(common(c.In, q.Asker.Tags), " and ")
	case policy.FieldKeyID:
		return q.Asker.KeyID
	case policy.FieldAccount:
		return q.Asker.AccountID
	case policy.FieldBudget:
		return fmt.Sprintf("%d.%d", *q.BudgetUsed/10, *q.BudgetUsed%10)
	case policy.FieldTime:
		return q.At.UTC().Format("15:04")
	case policy.FieldWeekday:
		return policy.Weekday(q.At)
	case policy.FieldMetadata:
		return short(q.Metadata[c.Name])
	case policy.FieldStream:
		return strconv.FormatBool(*c.Is)
	case policy.FieldTokens:
		return strconv.FormatInt(q.InputTokens, 10)
	case policy.FieldCapability:
		needs := make([]string, len(q.Needs))
		for i, need := range q.Needs {
			needs[i] = string(need)
		}
		return strings.Join(common(c.In, needs), " and ")
	}
	return strconv.FormatInt(q.Features.Of(c.Name), 10)
}

// common are the words of the first list that the second has.
func common(words, among []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(among, w) })
}
