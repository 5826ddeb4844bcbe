package policy_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestEveryRuleIsRead(t *testing.T) {
	document, err := os.ReadFile("testdata/rules.yaml")
	require.NoError(t, err)
	p := compile(t, string(document))
	same, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p.Version(), same.Version())

	for from, to := range map[string]string{
		`"target":"large"`: `"target":"lost"`, `"target":"large"}`: `"target":"large","deny":"x"}`, `"window":{"from":1320,"to":390}`: `"max":1`,
		`"in":["legal","medical"]`: `"min":1`, `"field":"account"`: `"field":"colour"`, `"field":"request.stream","is":false`: `"field":"request.stream"`,
		`"strategy":"weighted"`: `"when":[{"field":"key.tag","in":["a"]}],"strategy":"weighted"`,
	} {
		text := string(p.Canonical())
		require.Contains(t, text, from)
		_, err := policy.Decode([]byte(strings.Replace(text, from, to, 1)))
		require.Error(t, err, to)
	}

	n := func(v int64) *int64 { return &v }
	yes, no := true, false
	auto, _ := p.Route("auto", catalog.Chat)
	require.Equal(t, []policy.Requirement{
		{Field: "capabilities", In: []string{"tools"}}, {Field: "context", Min: 8000}, {Field: "provider", In: []string{"local", "openai"}},
	}, auto.Require, "requirements that always apply are not stored")
	tag := policy.Condition{Field: "key.tag", In: []string{"legal", "medical"}}
	require.Equal(t, []policy.Rule{
		{Name: "legal-on-large", When: []policy.Condition{tag}, Target: "large"},
		{Name: "eu-only", When: []policy.Condition{{Field: "key.tag", In: []string{"eu"}}}, Require: []policy.Requirement{{Field: "provider.tag", In: []string{"eu"}}}},
		{Name: "save-money", When: []policy.Condition{{Field: "budget.used_percent", Min: n(955)}}, Target: "small@local"},
		{Name: "night-batch", When: []policy.Condition{
			{Field: "request.metadata", Name: "purpose", In: []string{"batch"}},
			{Field: "time.utc", Window: &policy.Window{From: 22 * 60, To: 6*60 + 30}},
			{Field: "time.weekday", In: []string{"mon", "tue", "wed", "thu", "fri"}},
		}, Deny: "batch runs at night"},
		{When: []policy.Condition{
			{Field: "account", In: []string{"acme"}}, {Field: "feature", Name: "code", Is: &yes},
			{Field: "feature", Name: "questions", Min: n(3), Max: n(9)}, {Field: "key.id", In: []string{"k"}},
			{Field: "request.capability", In: []string{"vision"}}, {Field: "request.stream", Is: &no},
			{Field: "request.tokens", Min: n(1000), Max: n(1000)},
		}, Strategy: policy.Balanced, Candidates: []string{"large", "small"}},
		{Strategy: policy.Weighted, Candidates: []string{"small", "large"}, MinQuality: 720, Weights: map[string]int64{"small": 3, "large": 0}, Topic: "code"},
	}, auto.Select)
	require.Equal(t, []string{"large", "small"}, auto.OnFailure)
	require.Equal(t, &policy.Affinity{Scope: "conversation", TTL: 10 * time.Minute, YieldsTo: []string{"breaker", "rate_limit"}}, auto.Affinity)
	require.Equal(t, []policy.Test{{
		Name: "greetings go small", Line: 40, Column: 9,
		Request: []byte(`{"messages":[{"content":"hi","role":"user"}]}`), Key: policy.TestKey{Tags: []string{"eu"}}, BudgetUsed: n(963),
		At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), Down: []string{"large"}, Expect: policy.Expectation{Model: "small", Route: "policy", Rule: "select[4]"},
	}}, auto.Tests)
	local, _ := p.Provider("local")
	require.Equal(t, policy.Limits{RequestsPerMinute: 600, TokensPerMinute: 2_000_000, Concurrent: 8}, local.Limits)
}

func TestWhichRoutesNeedTheRouter(t *testing.T) {
	for rule, want := range map[string]bool{
		"{target: sandbox-small}": false, "{candidates: [sandbox-small]}": false, "{strategy: cheapest, candidates: [sandbox-small]}": false,
		"{strategy: weighted, candidates: [sandbox-small]}": false, "{strategy: quality, candidates: [sandbox-small]}": true,
		"{strategy: cheapest, min_quality: 0.5, candidates: [sandbox-small]}": true, "{strategy: fastest, candidates: [sandbox-small]}": true,
		"{strategy: balanced, candidates: [sandbox-small]}":                             true,
		"{when: {feature.turns: {gt: 3}}, deny: x}, {target: sandbox-small}":            false,
		"{when: {feature.code: {gt: 3}}, deny: x}, {target: sandbox-small}":             true,
		"{target: sandbox-small}], affinity: {}, on_failure: [sandbox-large":            true,
		"{when: {key.tag: a, request.metadata.b: c}, deny: x}, {target: sandbox-small}": false,
	} {
		p := compile(t, "version: 1\n"+models+"routes: {auto: {select: ["+rule+"]}}")
		r, _ := p.Route("auto", catalog.Chat)
		require.Equal(t, want, p.NeedsRouter(r), rule)
	}
}

func TestPlacesByName(t *testing.T) {
	p := compile(t, "version: 1\nproviders: {sandbox: {}, spare: {kind: sandbox}}\nmodels:\n  m: {endpoints: [{provider: sandbox, model: x}, {provider: spare, model: x}]}\n"+
		"  m@spare: {endpoints: [{provider: sandbox, model: y}]}\n")
	for name, want := range map[string]string{"m": "m ", "m@sandbox": "m sandbox", "m@spare": "m@spare ", "m@spare@sandbox": "m@spare sandbox", "m@": "", "m@other": "", "x": ""} {
		m, provider, ok := p.ResolveEndpoint(name)
		require.Equal(t, want != "", ok, name)
		if ok {
			require.Equal(t, want, m.ID+" "+provider, name)
		}
	}
}

func TestWindowsOfTheDay(t *testing.T) {
	day, night := policy.Window{From: 8 * 60, To: 18 * 60}, policy.Window{From: 22 * 60, To: 6 * 60}
	for clock, want := range map[string][2]bool{
		"07:59": {false, false}, "08:00": {true, false}, "17:59": {true, false}, "18:00": {false, false},
		"21:59": {false, false}, "22:00": {false, true}, "00:00": {false, true}, "05:59": {false, true}, "06:00": {false, false},
	} {
		at, err := time.Parse("15:04", clock)
		require.NoError(t, err)
		elsewhere := at.In(time.FixedZone("", 5*3600))
		require.Equal(t, want, [2]bool{day.Contains(elsewhere), night.Contains(elsewhere)}, clock)
	}
}

// Each case has one faulty rule in an otherwise valid route.
func TestFaultsOfRules(t *testing.T) {
	const last = ", {target: sandbox-large}"
	for give, want := range map[string]string{
		"{when: {}, deny: x}" + last:                                  "when BAD_CONDITION",
		"{when: {key.tags: a}, deny: x}" + last:                       "when.key.tags UNKNOWN_CONDITION key.tag",
		"{when: {feature.cod: 1}, deny: x}" + last:                    "when.feature.cod UNKNOWN_CONDITION code",
		"{when: {request.metadata.: a}, deny: x}" + last:              "when.request.metadata. UNKNOWN_CONDITION",
		"{when: {request.capability: tool}, deny: x}" + last:          "when.request.capability UNKNOWN_CAPABILITY tools",
		"{when: {key.tag: []}, deny: x}" + last:                       "when.key.tag BAD_CONDITION",
		"{when: {request.tokens: many}, deny: x}" + last:              "when.request.tokens BAD_CONDITION",
		"{when: {request.tokens: {atleast: 1}}, deny: x}" + last:      "when.request.tokens.atleast UNKNOWN_FIELD\nwhen.request.tokens BAD_CONDITION",
		"{when: {request.tokens: {gt: 1, gte: 1}}, deny: x}" + last:   "when.request.tokens BAD_CONDITION",
		"{when: {budget.used_percent: {gte: 95.55}}, deny: x}" + last: "when.budget.used_percent.gte BAD_CONDITION",
		"{when: {request.tokens: {gt: 4, lt: 5}}, deny: x}" + last:    "when.request.tokens DEAD_RULE",
		"{when: {time.utc: '8 to 18'}, deny: x}" + last:               "when.time.utc BAD_CONDITION",
		"{when: {time.utc: '08:00-25:00'}, deny: x}" + last:           "when.time.utc BAD_CONDITION",
		"{when: {time.utc: '08:00-08:00'}, deny: x}" + last:           "when.time.utc DEAD_RULE",
		"{when: {request.tokens: {lt: 0}}, deny: x}" + last:           "when.request.tokens DEAD_RULE",
		"{when: {time.weekday: [mon, tues]}, deny: x}" + last:         "when.time.weekday[1] BAD_CONDITION tue",
		"{when: {request.stream: maybe}, deny: x}" + last:             "when.request.stream WRONG_TYPE",
		"{when: {key.tag: a}}" + last:                                 "AMBIGUOUS_SELECTION",
		"{deny: ''}":                                                  "deny BAD_VALUE",
		"{target: sandbox-large, min_quality: 0.5}":                   "min_quality BAD_VALUE",
		"{strategy: cheapets, candidates: [sandbox-small]}":           "strategy BAD_VALUE cheapest",
		"{candidates: [sandbox-small], min_quality: 2}":               "min_quality BAD_VALUE",
		"{candidates: [sandbox-small], topic: cod}":                   "topic BAD_VALUE code",
		"{candidates: [sandbox-small], weights: {sandbox-small: 1}}":  "weights BAD_VALUE",
		"{strategy: weighted, candidates: [sandbox-small, sandbox-large], weights: {sandbox-small: 0, sandbox-large: 0}}": "weights WEIGHT_SUM_ZERO",
		"{strategy: weighted, candidates: [sandbox-small, sandbox-large], weights: {sandbox-small: 1}}":                   "weights MISSING_FIELD",
		"{strategy: weighted, candidates: [sandbox-small], weights: {sandbox-smal: 1}}":                                   "weights.sandbox-smal UNKNOWN_MODEL sandbox-small\nweights MISSING_FIELD",
		"{strategy: cheapest, candidates: [sandbox-small, free]}":                                                         "candidates[1] UNPRICED_MODEL",
		"{target: sandbox-small@sandbx}":                                           "target UNKNOWN_PROVIDER sandbox",
		"{target: auto}":                                                           "target CYCLE",
		"{target: other}":                                                          "target CYCLE",
		"{target: plain}":                                                          "target UNKNOWN_MODEL",
		"{when: {key.tag: a}, target: sandbox-small}":                              "MISSING_FIELD",
		"{require: [{provider: sandbox}]}":                                         "MISSING_FIELD",
		"{require: [{context: fits}]}" + last:                                      "require BAD_VALUE",
		"{require: []}" + last:                                                     "require BAD_VALUE",
		"{require: [{context: any}]}" + last:                                       "require[0].context BAD_VALUE",
		"{require: [{provider.tag: europ}]}" + last:                                "require[0].provider.tag BAD_VALUE europe\n@NO_CANDIDATE",
		"{require: [{provider: sandbx}]}" + last:                                   "require[0].provider UNKNOWN_PROVIDER sandbox\n@NO_CANDIDATE",
		"{require: [{model: sandbox-smal}]}" + last:                                "require[0].model UNKNOWN_MODEL sandbox-small\n@NO_CANDIDATE",
		"{require: [{provider.tag: europe}]}" + last:                               "@NO_CANDIDATE",
		"{when: {key.tag: a}, require: [{provider.tag: europe}]}" + last:           "NO_CANDIDATE_AFTER_REQUIRE",
		"{when: {key.tag: a}, require: [{capabilities: [audio]}]}" + last:          "CAPABILITY_IMPOSSIBLE",
		"{when: {request.capability: audio}, target: sandbox-small}" + last:        "CAPABILITY_IMPOSSIBLE",
		"{name: a, deny: x, when: {key.tag: a}}, {name: a, target: sandbox-small}": "@DUPLICATE",
		"{when: {key.tag: [a, b]}, deny: x}, {when: {key.tag: a, request.stream: true}, deny: y}" + last:          "@DEAD",
		"{when: {request.tokens: {gt: 10}}, deny: x}, {when: {request.tokens: {gt: 20, lt: 30}}, deny: y}" + last: "@DEAD",
		"{when: {time.utc: '20:00-06:00'}, deny: x}, {when: {time.utc: '23:00-01:00'}, deny: y}" + last:           "@DEAD",
		"{when: {time.utc: '00:00-24:00'}, deny: x}, {when: {time.utc: '23:00-01:00'}, deny: y}" + last:           "@DEAD",
		"{deny: x}" + last: "@DEAD",
	} {
		got := problems(t, "version: 1\nproviders: {sandbox: {}, far: {kind: sandbox, tags: [europe]}}\nmodels: {sandbox-small: {}, sandbox-large: {endpoints: [{provider: sandbox, model: x}]}, free: {endpoints: [{provider: far, model: x}]}}\n"+
			"routes:\n  plain: {select: [{target: sandbox-small}]}\n  other: {select: [{target: auto}]}\n  auto: {select: ["+give+"]}\n")
		var mine []string
		for _, line := range got {
			_, line, _ = strings.Cut(line, " ")
			if rest, ok := strings.CutPrefix(line, "routes.auto.select[0]"); ok {
				mine = append(mine, strings.TrimLeft(rest, ". "))
			} else if rest, ok := strings.CutPrefix(line, "routes.auto.select[1] "); ok {
				mine = append(mine, "@"+strings.Split(strings.Split(rest, "_RULE")[0], "_AFTER")[0])
			}
		}
		want = strings.ReplaceAll(want, "@DUPLICATE", "@DUPLICATE_ENTRY")
		require.ElementsMatch(t, strings.Split(want, "\n"), mine, give)
	}
}

// Windows that only overlap do not make each other dead.
func TestWindowsThatOverlapAreAlive(t *testing.T) {
	for _, next := range []string{"05:00-07:00", "19:00-21:00", "06:00-20:00", "19:59-06:00", "20:00-06:01", "00:00-24:00"} {
		compile(t, "version: 1\n"+models+"routes: {auto: {select: [{when: {time.utc: '20:00-06:00'}, deny: x}, {when: {time.utc: '"+next+"'}, deny: y}, {target: sandbox-small}]}}")
	}
}
