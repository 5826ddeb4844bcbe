package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

// lines is a text followed by the given number of lines.
func lines(head string, n int, line string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// Small documents that would take the compiler minutes are rejected by their counts.
func TestCrowdsAreRefused(t *testing.T) {
	const route = "version: 1\n" + models + "routes:\n  auto:\n    select:\n"
	list := func(head string, n int, tail string) string { return lines(head, n, "x%d, ") + tail }
	tests := []struct{ name, give, want string }{
		{"names in a column", lines("version: 1\nproviders:\n", 5001, "  p%d: {kind: sandbox}\n"), "5003:8  TOO_LARGE"},
		{"items in a column", lines("version: 1\nmodels:\n", 5001, "- x%d\n"), "5003:1  TOO_LARGE"},
		{"a list in brackets", list("version: 1\nproviders: {a: {kind: sandbox, tags: [", 5001, "]}}"), "2:32 providers.a.tags TOO_LARGE"},
		{"a mapping in brackets", lines("version: 1\nproviders: {", 5001, "p%d: {kind: sandbox}, ") + "}", "2:1 providers TOO_LARGE"},
		{"fields", list("version: 1\nproviders: {acme: {kind: openai, base_url: https://a.example, wire: {drop: [", 201, "]}}}"), "2:70 providers.acme.wire.drop TOO_LARGE"},
		{"rules", lines(route, 1000, "      - {when: {key.tag: t%d}, target: sandbox-small}\n") + "      - {target: sandbox-small}\n", "5:5 routes.auto.select TOO_LARGE"},
		{"reserve", list(route+"      - {target: sandbox-small}\n    on_failure: [", 257, "]"), "7:5 routes.auto.on_failure TOO_LARGE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, strings.Join(problems(t, tt.give), "\n"))
		})
	}
}

func TestWhatRepeatsIsNoCrowd(t *testing.T) {
	give := lines("version: 1\n"+models+"routes:\n  auto:\n    select:\n    - target: sandbox-small\n    tests:\n", 1700,
		"    - name: n%d\n      request:\n        messages: []\n      expect:\n        model: sandbox-small\n")
	p, err := policy.Compile([]byte(give), load(t))
	require.NoError(t, err)
	require.Len(t, p.Routes[0].Tests, 1700)
}

// A policy that is too large for one message to a proxy must be rejected.
func TestWhatCompilesToTooMuchIsRefused(t *testing.T) {
	give := lines("version: 1\nproviders: {acme: {kind: openai, base_url: https://a.example, wire: {drop: [", 200, strings.Repeat("x", 50)+"%d, ")
	give = lines(give+"]}}}\nmodels:\n", 500, "  m%d: {endpoints: [{provider: acme, model: x}]}\n")
	require.Equal(t, []string{"1:1  TOO_LARGE"}, problems(t, give))
}

func TestProblemsThatNobodyReadsAreNotListed(t *testing.T) {
	all := problems(t, lines("version: 1\n", 1500, "z%d: 1\n"))
	require.Len(t, all, 1001)
	require.Equal(t, "2:1 z0 UNKNOWN_FIELD", all[0])
	require.Equal(t, "1001:1  TOO_LARGE", all[1000])
}

// A cycle is found at any length.
func TestALongRingIsFound(t *testing.T) {
	const routes = 300
	var b strings.Builder
	b.WriteString("version: 1\nroutes:\n")
	for i := range routes {
		fmt.Fprintf(&b, "  r%d: {select: [{target: r%d}]}\n", i, (i+1)%routes)
	}
	all := problems(t, b.String())
	require.Equal(t, "3:26 routes.r0.select[0].target CYCLE", all[0])
}

func TestTextsMayBeWrittenInBlocksAndBehindAMark(t *testing.T) {
	p, err := policy.Compile([]byte("\ufeffversion: 1\n"+models+"routes:\n  auto:\n    select:\n      - deny: >-\n          closed\n          for good\n"), load(t))
	require.NoError(t, err)
	require.Equal(t, "closed for good", p.Routes[0].Select[0].Deny)
}
