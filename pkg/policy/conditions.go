package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxWords bounds a list in a condition.
const maxWords = 256

// conditions reads a mapping of them. Its order means nothing. Faulty ones stay
// in it, so that their rule is not taken for one without any.
func (c *compiler) conditions(v value) []Condition {
	entries := c.entries(v)
	if len(entries) == 0 {
		c.fail(v, CodeBadCondition, "when needs a condition; a rule without when always applies")
		return []Condition{{}}
	}
	var all []Condition
	for _, e := range entries {
		all = append(all, c.condition(e))
	}
	slices.SortFunc(all, func(a, b Condition) int { return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Name, b.Name)) })
	return all
}

// fieldNames are those of conditions, as they are written.
func fieldNames() []string {
	return []string{
		FieldKeyTag, FieldKeyID, FieldAccount, FieldBudget, FieldTime, FieldWeekday,
		FieldMetadata + ".NAME", FieldStream, FieldTokens, FieldCapability, FieldFeature + ".NAME",
	}
}

func (c *compiler) condition(v value) Condition {
	one := Condition{Field: v.name}
	for _, family := range []string{FieldMetadata, FieldFeature} {
		if name, ok := strings.CutPrefix(v.name, family+"."); ok {
			one.Field, one.Name = family, name
		}
	}
	at := value{path: v.path, key: v.key}
	if (one.Field == FieldMetadata || one.Field == FieldFeature) && (one.Name == "" || len(one.Name) > maxName) {
		c.fail(at, CodeUnknownCondition, "want %s.NAME", one.Field)
		return one
	}
	if one.Field == FieldFeature && !slices.Contains(Features(), one.Name) {
		c.failNear(at, CodeUnknownCondition, one.Name, Features(), "there is no feature %q", one.Name)
		return one
	}
	if !c.readCondition(v, &one) {
		c.failNear(at, CodeUnknownCondition, v.name, fieldNames(), "there is no condition %q, only %s", v.name, strings.Join(fieldNames(), ", "))
	}
	return one
}

// readCondition is false for a field that there is not.
func (c *compiler) readCondition(v value, one *Condition) bool {
	switch one.Field {
	case FieldKeyTag, FieldKeyID, FieldAccount, FieldMetadata:
		words, _ := c.words(v, CodeBadCondition)
		one.In = slices.Sorted(slices.Values(words))
	case FieldCapability:
		words, at := c.words(v, CodeBadCondition)
		for i, word := range words {
			c.capability(at[i], word)
		}
		one.In = slices.Sorted(slices.Values(words))
	case FieldWeekday:
		one.In = c.weekdayList(v)
	case FieldBudget:
		one.Min, one.Max = c.bounds(v, 1)
	case FieldTokens:
		one.Min, one.Max = c.bounds(v, 0)
	case FieldFeature:
		if b, ok := v.node.(*ast.BoolNode); ok {
			one.Is = &b.Value
			break
		}
		one.Min, one.Max = c.bounds(v, 0)
	case FieldStream:
		on := c.flag(v)
		one.Is = &on
	case FieldTime:
		one.Window = c.window(v)
	default:
		return false
	}
	return true
}

// words are one text or a list of different ones.
func (c *compiler) words(v value, code string) (words []string, at []value) {
	if _, list := v.node.(*ast.SequenceNode); list {
		words, at = c.texts(v)
	} else if text, ok := c.text(v); ok {
		words, at = []string{text}, []value{v}
	} else {
		return nil, nil
	}
	if len(words) == 0 || len(words) > maxWords || slices.Contains(words, "") {
		c.fail(v, code, "want a text, or a list of at most %d", maxWords)
	}
	return words, at
}
