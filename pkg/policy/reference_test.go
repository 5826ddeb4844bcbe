package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

func hasPrefix(prefix string) func(string) bool {
	return func(name string) bool { return strings.HasPrefix(name, prefix) }
}

func isStrategy(name string) bool {
	return slices.Contains([]string{"Ordered", "Cheapest", "BestQuality", "Fastest", "Balanced", "Weighted"}, name)
}

// TestPolicyReferenceIsCurrent compares the words of the policy language in the
// documentation with the constants that define them.
func TestPolicyReferenceIsCurrent(t *testing.T) {
	for _, table := range []struct {
		name, head, file string
		match            func(string) bool
	}{
		{"conditions", "condition", "condition.go", hasPrefix("Field")},
		{"requirements", "requirement", "rule.go", hasPrefix("Require")},
		{"strategies", "strategy", "rule.go", isStrategy},
		{"aims", "aim", "aim.go", hasPrefix("Aim")},
		{"failures", "failure", "retries.go", hasPrefix("Fail")},
		{"problems", "code", "problem.go", hasPrefix("Code")},
	} {
		docsref.Check(t, "reference/policy.md", table.name, docsref.ConstantTable(table.head, docsref.Constants(t, table.file, table.match)))
	}
}
