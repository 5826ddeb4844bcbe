package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

const commented = `version: 1
routes:
  # Answers of lawyers.
  auto:
    select: # read from the top

      # legal first
      # and always
      - name: legal # not renamed
        when: {key.tag: legal}
        # the best one
        target: large
        # trailing

      # Detached.

      - {name: eu, when: {key.tag: [eu, uk]}, require: [{provider.tag: eu}]} # narrows
      # the rest
      - candidates:
          - small
          - large
        strategy: cheapest
    # fallbacks
    on_failure: [large]
  flat: {select: [{name: "a, b", target: small}, {name: 'don''t', target: large}, {deny: it's night}]}
  same:
    select:
    - target: small
  other: {select: [{target: small}]}
`

func TestMoveRuleKeepsEveryOtherCharacter(t *testing.T) {
	changed, err := policy.MoveRule(commented, "auto", 0, 2)
	require.NoError(t, err)
	require.Equal(t, `version: 1
routes:
  # Answers of lawyers.
  auto:
    select: # read from the top

      - {name: eu, when: {key.tag: [eu, uk]}, require: [{provider.tag: eu}]} # narrows

      # Detached.

      # the rest
      - candidates:
          - small
          - large
        strategy: cheapest
      # legal first
      # and always
      - name: legal # not renamed
        when: {key.tag: legal}
        # the best one
        target: large
        # trailing
    # fallbacks
    on_failure: [large]
`+commented[strings.Index(commented, "  flat:"):], changed)
	back, err := policy.MoveRule(changed, "auto", 2, 0)
	require.NoError(t, err)
	require.Equal(t, commented, back)
}

func TestMoveRuleInBrackets(t *testing.T) {
	changed, err := policy.MoveRule(commented, "flat", 2, 0)
	require.NoError(t, err)
	require.Contains(t, changed, `  flat: {select: [{deny: it's night}, {name: "a, b", target: small}, {name: 'don''t', target: large}]}`+"\n")
	back, err := policy.MoveRule(changed, "flat", 0, 2)
	require.NoError(t, err)
	require.Equal(t, commented, back)
}

func TestAddRule(t *testing.T) {
	const rule = `{name: new, when: {key.tag: "x: y"}, target: small}`
	const block = "      - " + rule + "\n"
	for _, c := range []struct {
		route string
		at    int
		added string
		want  string
	}{
		{"auto", 0, block, "    select: # read from the top\n\n      - " + rule + "\n      # legal first\n"},
		{"auto", 2, block, " # narrows\n      - " + rule + "\n      # the rest\n"},
		{"auto", 1, block, "      # Detached.\n\n      - " + rule + "\n      - {name: eu"},
		{"auto", 3, block, "        strategy: cheapest\n      - " + rule + "\n    # fallbacks\n"},
		{"flat", 1, rule + ", ", `[{name: "a, b", target: small}, ` + rule + `, {name: 'don''t'`},
		{"flat", 3, ", " + rule, `{deny: it's night}, ` + rule + `]}`},
		{"same", 0, "    - " + rule + "\n", "    select:\n    - " + rule + "\n    - target: small\n"},
	} {
		changed, err := policy.AddRule(commented, c.route, c.at, rule)
		require.NoError(t, err, "%s %d", c.route, c.at)
		require.Contains(t, changed, c.want)
		require.Equal(t, commented, strings.Replace(changed, c.added, "", 1))
	}
}

func TestEditsThatAreNotSafeAreRejected(t *testing.T) {
	for name, edit := range map[string]func() (string, error){
		"position":   func() (string, error) { return policy.MoveRule(commented, "auto", 0, 3) },
		"route":      func() (string, error) { return policy.MoveRule(commented, "none", 0, 0) },
		"not a list": func() (string, error) { return policy.MoveRule("routes: {a: {select: 3}}", "a", 0, 0) },
		"syntax":     func() (string, error) { return policy.MoveRule("routes: [", "a", 0, 0) },
		"scalar":     func() (string, error) { return policy.AddRule(commented, "auto", 0, "text") },
		"two lines":  func() (string, error) { return policy.AddRule(commented, "auto", 0, "{a: b,\nc: d}") },
		"comment": func() (string, error) {
			return policy.MoveRule("routes: {a: {select: [{deny: x}, # no\n {deny: y}]}}", "a", 0, 1)
		},
		"low brace": func() (string, error) {
			return policy.MoveRule("routes:\n  a:\n    select:\n      - {deny: x}\n      - {\n    deny: y\n    }\n", "a", 0, 1)
		},
		"list of list": func() (string, error) {
			return policy.MoveRule("routes:\n  a:\n    select: [[{deny: x}, {deny: z}], {deny: y}", "a", 0, 1)
		},
	} {
		_, err := edit()
		require.Error(t, err, name)
	}
}

func TestListRulesDescribesDrafts(t *testing.T) {
	all, err := policy.ListRules([]byte(commented))
	require.NoError(t, err)
	require.Len(t, all, 8)
	require.Equal(t, policy.WrittenRule{
		Route: "auto", Index: 1, Name: "eu", Label: "eu", Line: 17, Text: "{name: eu, when: {key.tag: [eu, uk]}, require: [{provider.tag: eu}]}",
		When: []policy.WrittenField{{"key.tag", "[eu, uk]"}}, Action: []policy.WrittenField{{"require", "[{provider.tag: eu}]"}},
	}, all[1])
	require.Equal(t, "select[2]", all[2].Label)
	require.Equal(t, []policy.WrittenField{{"candidates", "[small, large]"}, {"strategy", "cheapest"}}, all[2].Action)
	_, err = policy.ListRules([]byte("a: ["))
	require.Error(t, err)
	none, err := policy.ListRules([]byte("routes: {a: {select: }, b: 3}"))
	require.NoError(t, err)
	require.Empty(t, none)
}
