package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// conditionHolds reports whether a condition holds for a question. A condition on
// an unknown time, budget, metadata value or feature does not hold.
func conditionHolds(q *Question, c *policy.Condition) bool {
	switch c.Field {
	case policy.FieldKeyTag:
		return slices.ContainsFunc(q.Caller.Tags, func(tag string) bool { return slices.Contains(c.In, tag) })
	case policy.FieldKeyID:
		return slices.Contains(c.In, q.Caller.KeyID)
	case policy.FieldAccount:
		return slices.Contains(c.In, q.Caller.AccountID)
	case policy.FieldBudget:
		return q.BudgetUsed != nil && isWithin(c, *q.BudgetUsed)
	case policy.FieldTime:
		return !q.At.IsZero() && c.Window.Contains(q.At)
	case policy.FieldWeekday:
		return !q.At.IsZero() && slices.Contains(c.In, policy.FormatWeekday(q.At))
	case policy.FieldMetadata:
		v, ok := q.Metadata[c.Name]
		return ok && slices.Contains(c.In, v)
	case policy.FieldStream:
		return (q.Features.GetOrZero("stream") != 0) == *c.Is
	case policy.FieldTokens:
		return isWithin(c, q.InputTokens)
	case policy.FieldCapability:
		return slices.ContainsFunc(q.Needs, func(need catalog.Capability) bool { return slices.Contains(c.In, string(need)) })
	case policy.FieldFeature:
		return featureHolds(q, c)
	}
	return false
}

func isWithin(c *policy.Condition, n int64) bool {
	return (c.Min == nil || n >= *c.Min) && (c.Max == nil || n <= *c.Max)
}

func featureHolds(q *Question, c *policy.Condition) bool {
	v, ok := q.Features.Get(c.Name)
	// If the feature "lexical" is set, the text was analysed, and an absent feature has
	// the value 0. If it is not set, an absent feature is unknown.
	ok = ok || q.Features.GetOrZero("lexical") != 0
	if c.Is != nil {
		return ok && (v != 0) == *c.Is
	}
	return ok && isWithin(c, v)
}

// appendMetConditions appends the rule's conditions with the values that met them.
func (s *selection) appendMetConditions() {
	when := s.choice.rule.When
	for i := range when {
		c := &when[i]
		if i > 0 {
			s.appendText(", ")
		}
		s.appendText(c.Field)
		if c.Name != "" {
			s.appendText(".", c.Name)
		}
		s.appendText(" is ", formatMetValue(&s.question, c))
	}
}

func formatMetValue(q *Question, c *policy.Condition) string {
	switch c.Field {
	case policy.FieldKeyTag:
		return strings.Join(intersect(c.In, q.Caller.Tags), " and ")
	case policy.FieldKeyID:
		return q.Caller.KeyID
	case policy.FieldAccount:
		return q.Caller.AccountID
	case policy.FieldBudget:
		return fmt.Sprintf("%d.%d", *q.BudgetUsed/10, *q.BudgetUsed%10)
	case policy.FieldTime:
		return q.At.UTC().Format("15:04")
	case policy.FieldWeekday:
		return policy.FormatWeekday(q.At)
	case policy.FieldMetadata:
		return truncateName(q.Metadata[c.Name])
	case policy.FieldStream:
		return strconv.FormatBool(*c.Is)
	case policy.FieldTokens:
		return strconv.FormatInt(q.InputTokens, 10)
	case policy.FieldCapability:
		needs := make([]string, len(q.Needs))
		for i, need := range q.Needs {
			needs[i] = string(need)
		}
		return strings.Join(intersect(c.In, needs), " and ")
	}
	return strconv.FormatInt(q.Features.GetOrZero(c.Name), 10)
}

// intersect returns the values that also occur in others, in the order of values.
func intersect(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !slices.Contains(others, v) })
}
