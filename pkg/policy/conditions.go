package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxListValues is the maximum number of values in one condition or requirement.
const maxListValues = 256

// readConditions reads a mapping of conditions and sorts them by field and name. It keeps
// invalid conditions. Without them, a rule could seem to have no conditions, and the
// rules after it would be reported as dead.
func (c *compiler) readConditions(v value) []Condition {
	c.words.addFields(v, conditionWords())
	entries := c.readEntries(v)
	if len(entries) == 0 {
		c.reportProblem(v, CodeBadCondition, `"when" is empty: add a condition, or remove "when" so that the rule always applies`)
		return []Condition{{}}
	}
	var all []Condition
	for _, e := range entries {
		all = append(all, c.readConditionEntry(e))
	}
	slices.SortFunc(all, func(a, b Condition) int { return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Name, b.Name)) })
	return all
}

// conditionFields returns the names of all conditions, as written in documents.
func conditionFields() []string {
	return []string{
		FieldKeyTag, FieldKeyID, FieldAccount, FieldBudget, FieldTime, FieldWeekday,
		FieldMetadata + ".NAME", FieldStream, FieldTokens, FieldCapability, FieldFeature + ".NAME",
	}
}

func (c *compiler) readConditionEntry(v value) Condition {
	condition := Condition{Field: v.name}
	for _, family := range []string{FieldMetadata, FieldFeature} {
		if name, ok := strings.CutPrefix(v.name, family+"."); ok {
			condition.Field, condition.Name = family, name
		}
	}
	at := value{path: v.path, key: v.key}
	if (condition.Field == FieldMetadata || condition.Field == FieldFeature) && (condition.Name == "" || len(condition.Name) > maxNameLength) {
		c.reportProblem(at, CodeUnknownCondition, "must be %s.NAME", condition.Field)
		return condition
	}
	if condition.Field == FieldFeature && !slices.Contains(FeatureNames(), condition.Name) {
		c.reportUnknownName(at, CodeUnknownCondition, condition.Name, FeatureNames(), "unknown feature %q", condition.Name)
		return condition
	}
	if !c.readConditionValue(v, &condition) {
		c.reportUnknownName(at, CodeUnknownCondition, v.name, conditionFields(), "unknown condition %q: known conditions are %s", v.name, strings.Join(conditionFields(), ", "))
	}
	return condition
}

// readConditionValue reads the value of a condition. It returns false for an unknown
// field.
func (c *compiler) readConditionValue(v value, condition *Condition) bool {
	switch condition.Field {
	case FieldKeyTag, FieldKeyID, FieldAccount, FieldMetadata:
		accepted, _ := c.readStringOrList(v, CodeBadCondition)
		condition.In = slices.Sorted(slices.Values(accepted))
	case FieldCapability:
		capabilities, at := c.readStringOrList(v, CodeBadCondition)
		for i, capability := range capabilities {
			c.checkCapability(at[i], capability)
		}
		condition.In = slices.Sorted(slices.Values(capabilities))
	case FieldWeekday:
		condition.In = c.readWeekdays(v)
	case FieldBudget:
		condition.Min, condition.Max = c.readBounds(v, 1)
	case FieldTokens:
		condition.Min, condition.Max = c.readBounds(v, 0)
	case FieldFeature:
		if b, ok := v.node.(*ast.BoolNode); ok {
			condition.Is = &b.Value
			break
		}
		condition.Min, condition.Max = c.readBounds(v, 0)
	case FieldStream:
		on := c.readBool(v)
		condition.Is = &on
	case FieldTime:
		condition.Window = c.readWindow(v)
	default:
		return false
	}
	return true
}

// readStringOrList reads one string or a list of distinct strings.
func (c *compiler) readStringOrList(v value, code string) (values []string, at []value) {
	if _, list := v.node.(*ast.SequenceNode); list {
		values, at = c.readStrings(v)
	} else if s, ok := c.readString(v); ok {
		values, at = []string{s}, []value{v}
	} else {
		return nil, nil
	}
	if len(values) == 0 || len(values) > maxListValues || slices.Contains(values, "") {
		c.reportProblem(v, code, "must be a non-empty string, or a list of 1 to %d non-empty strings", maxListValues)
	}
	return values, at
}
