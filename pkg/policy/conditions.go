package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxWords bounds a list in a condition.
const maxWords = 256

// readConditions reads a mapping of conditions in any order. It keeps invalid ones,
// so that their rule does not count as one without conditions.
func (c *compiler) readConditions(v value) []Condition {
	entries := c.readEntries(v)
	if len(entries) == 0 {
		c.reportProblem(v, CodeBadCondition, "when is empty: add a condition, or remove when if the rule should always apply")
		return []Condition{{}}
	}
	var all []Condition
	for _, e := range entries {
		all = append(all, c.readConditionEntry(e))
	}
	slices.SortFunc(all, func(a, b Condition) int { return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Name, b.Name)) })
	return all
}

// conditionFields returns the names of conditions as documents write them.
func conditionFields() []string {
	return []string{
		FieldKeyTag, FieldKeyID, FieldAccount, FieldBudget, FieldTime, FieldWeekday,
		FieldMetadata + ".NAME", FieldStream, FieldTokens, FieldCapability, FieldFeature + ".NAME",
	}
}

func (c *compiler) readConditionEntry(v value) Condition {
	one := Condition{Field: v.name}
	for _, family := range []string{FieldMetadata, FieldFeature} {
		if name, ok := strings.CutPrefix(v.name, family+"."); ok {
			one.Field, one.Name = family, name
		}
	}
	at := value{path: v.path, key: v.key}
	if (one.Field == FieldMetadata || one.Field == FieldFeature) && (one.Name == "" || len(one.Name) > maxName) {
		c.reportProblem(at, CodeUnknownCondition, "must be %s.NAME", one.Field)
		return one
	}
	if one.Field == FieldFeature && !slices.Contains(FeatureNames(), one.Name) {
		c.reportUnknownName(at, CodeUnknownCondition, one.Name, FeatureNames(), "unknown feature %q", one.Name)
		return one
	}
	if !c.readConditionValue(v, &one) {
		c.reportUnknownName(at, CodeUnknownCondition, v.name, conditionFields(), "unknown condition %q: known conditions are %s", v.name, strings.Join(conditionFields(), ", "))
	}
	return one
}

// readConditionValue returns false for an unknown field.
func (c *compiler) readConditionValue(v value, one *Condition) bool {
	switch one.Field {
	case FieldKeyTag, FieldKeyID, FieldAccount, FieldMetadata:
		words, _ := c.readWords(v, CodeBadCondition)
		one.In = slices.Sorted(slices.Values(words))
	case FieldCapability:
		words, at := c.readWords(v, CodeBadCondition)
		for i, word := range words {
			c.checkCapability(at[i], word)
		}
		one.In = slices.Sorted(slices.Values(words))
	case FieldWeekday:
		one.In = c.readWeekdays(v)
	case FieldBudget:
		one.Min, one.Max = c.readBounds(v, 1)
	case FieldTokens:
		one.Min, one.Max = c.readBounds(v, 0)
	case FieldFeature:
		if b, ok := v.node.(*ast.BoolNode); ok {
			one.Is = &b.Value
			break
		}
		one.Min, one.Max = c.readBounds(v, 0)
	case FieldStream:
		on := c.readBool(v)
		one.Is = &on
	case FieldTime:
		one.Window = c.readWindow(v)
	default:
		return false
	}
	return true
}

// readWords reads one text or a list of distinct texts.
func (c *compiler) readWords(v value, code string) (words []string, at []value) {
	if _, list := v.node.(*ast.SequenceNode); list {
		words, at = c.readTexts(v)
	} else if text, ok := c.readText(v); ok {
		words, at = []string{text}, []value{v}
	} else {
		return nil, nil
	}
	if len(words) == 0 || len(words) > maxWords || slices.Contains(words, "") {
		c.reportProblem(v, code, "must be a text, or a list of 1 to %d texts", maxWords)
	}
	return words, at
}
