package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// TestBehaviour10AFaultyRuleIsNeverSkipped: one invalid rule makes the whole document invalid.
func TestBehaviour10AFaultyRuleIsNeverSkipped(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	const document = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes:\n  auto:\n    select:\n" +
		"      - {name: lawyers, when: {key.tag: legal}, target: sandbox-large}\n" +
		"      RULE\n" +
		"      - {candidates: [sandbox-small, sandbox-large]}\n"
	good := "- {name: vip, when: {key.tag: vip}, target: sandbox-large}"
	p, err := policy.Compile([]byte(strings.Replace(document, "RULE", good, 1)), cat)
	require.NoError(t, err)
	require.NotNil(t, p)
	for _, rule := range []string{
		"- {name: vip, when: {key.tga: vip}, target: sandbox-large}",
		"- {name: vip, when: {key.tag: vip}, target: sandbox-larg}",
		"- {name: vip, when: {request.tokens: lots}, target: sandbox-large}",
		"- {name: vip, when: {key.tag: vip}, target: sandbox-large, weight: 3}",
		"- {name: vip, when: {key.tag: vip}}",
		"- {name: lawyers, when: {key.tag: legal}, target: sandbox-small}",
		"- vip",
	} {
		p, err := policy.Compile([]byte(strings.Replace(document, "RULE", rule, 1)), cat)
		require.Nil(t, p, rule)
		var problems policy.Problems
		require.ErrorAs(t, err, &problems, rule)
		require.Equal(t, 7, problems[0].Line, rule)
	}
}
