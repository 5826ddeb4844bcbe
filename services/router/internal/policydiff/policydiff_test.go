package policydiff_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/policydiff"
)

const before = `version: 1
providers:
  a: {kind: openai, base_url: https://a.example/v1, keys: [{ref: env:A}, {ref: env:B}], timeouts: {idle: 30s}, tags: [eu]}
  b: {kind: openai, base_url: https://b.example/v1, cache: {mode: marked, ttl: 5m}}
models:
  small: {endpoints: [{provider: a, model: s}, {provider: b, model: s}], price: {input: "1", output: "2", per: 1M, effective: 2026-11-01}, context: 1000, quality: {general: 0.7}}
  large: {endpoints: [{provider: a, model: l}], price: {input: "3", output: "4", per: 1M, effective: 2026-11-01}}
defaults: {baseline: large, unlisted: deny, breaker: {error_rate: 0.5}}
experiments:
  e: {share: 0.05, daily_usd: "2", routes: [auto], candidates: [large], judge: large}
routes:
  aimed: {select: [{aim: {quality: 0.97}, candidates: [small, large]}]}
  auto:
    select:
      - {name: night, when: {budget.used_percent: {gte: 95}, time.utc: "08:00-18:00"}, deny: later}
      - {name: first, strategy: cheapest, min_quality: 0.55, candidates: [small, large]}
    on_failure: [large]
`

func compile(t *testing.T, document string) *policy.Policy {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	return p
}

func TestChangesOfMeaning(t *testing.T) {
	tests := []struct {
		name     string
		old, now string
		want     []policydiff.Change
	}{
		{"a comment", "version: 1\n", "# why\nversion: 1\n", nil},
		{"a timeout", "idle: 30s", "idle: 1m30s", []policydiff.Change{{"providers.a.timeouts.idle", "changed", "30s", "1m30s"}}},
		{"a tag", "tags: [eu]", "tags: [eu, onprem]", []policydiff.Change{{"providers.a.tags", "changed", `["eu"]`, `["eu","onprem"]`}}},
		{"no tag", ", tags: [eu]", "", []policydiff.Change{{"providers.a.tags", "removed", `["eu"]`, ""}}},
		{"a key", "{ref: env:B}", "{ref: env:C}", []policydiff.Change{
			{"providers.a.keys[env:B]", "removed", `{"ref":"env:B"}`, ""}, {"providers.a.keys[env:C]", "added", "", `{"ref":"env:C"}`},
		}},
		{"the order of keys", "[{ref: env:A}, {ref: env:B}]", "[{ref: env:B}, {ref: env:A}]", []policydiff.Change{
			{"providers.a.keys", "reordered", "env:A, env:B", "env:B, env:A"},
		}},
		{"a price", `input: "1"`, `input: "1.25"`, []policydiff.Change{
			{"models.small.prices[2026-11-01T00:00:00Z].input", "changed", "$1.00 per 1M", "$1.25 per 1M"},
		}},
		{"the order of places", "[{provider: a, model: s}, {provider: b, model: s}]", "[{provider: b, model: s}, {provider: a, model: s}]",
			[]policydiff.Change{{"models.small.endpoints", "reordered", "a, b", "b, a"}}},
		{"a window", "context: 1000", "context: 2000", []policydiff.Change{{"models.small.context", "changed", "1000", "2000"}}},
		{"the baseline", "baseline: large", "baseline: small", []policydiff.Change{{"defaults.baseline", "changed", "large", "small"}}},
		{"a quality floor", "min_quality: 0.55", "min_quality: 0.6", []policydiff.Change{{"routes.auto.select[first].min_quality", "changed", "0.55", "0.6"}}},
		{"an error rate", "error_rate: 0.5", "error_rate: 0.25", []policydiff.Change{{"defaults.breaker.error_rate", "changed", "0.5", "0.25"}}},
		{"qualities", "quality: {general: 0.7}", "quality: {general: 1, code: 0.125}", []policydiff.Change{
			{"models.small.quality.code", "added", "", "0.125"}, {"models.small.quality.general", "changed", "0.7", "1"},
		}},
		{"a lifetime", "cache: {mode: marked, ttl: 5m}", "cache: {mode: marked, ttl: 90s}", []policydiff.Change{{"providers.b.cache.ttl", "changed", "5m", "1m30s"}}},
		{"a budget", "{gte: 95}", "{gte: 97.5}", []policydiff.Change{{"routes.auto.select[night].when[0].min", "changed", "95", "97.5"}}},
		{"a budget that becomes tokens", "budget.used_percent: {gte: 95}", "request.tokens: {gte: 5000}", []policydiff.Change{
			{"routes.auto.select[night].when[0].field", "changed", "budget.used_percent", "request.tokens"},
			{"routes.auto.select[night].when[0].min", "changed", "95", "5000"},
		}},
		{"hours", "08:00-18:00", "08:30-24:00", []policydiff.Change{{"routes.auto.select[night].when[1].window", "changed", "08:00-18:00", "08:30-24:00"}}},
		{"an aim", "aim: {quality: 0.97}", "aim: {quality: 0.9}", []policydiff.Change{{"routes.aimed.select[0].aim.share", "changed", "0.97", "0.9"}}},
		{"an experiment", `share: 0.05, daily_usd: "2"`, `share: 1, daily_usd: "2.50"`, []policydiff.Change{
			{"experiments.e.share", "changed", "0.05", "1"}, {"experiments.e.daily_usd", "changed", "2", "2.5"},
		}},
		{"a reserve", "on_failure: [large]", "on_failure: [small]", []policydiff.Change{{"routes.auto.on_failure", "changed", `["large"]`, `["small"]`}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, before, tt.old)
			after := strings.Replace(before, tt.old, tt.now, 1)
			got := policydiff.Compare(compile(t, before), compile(t, after))
			// Some prices follow from others. Only the ones that were written
			// count here.
			got = only(got, tt.want)
			require.Equal(t, tt.want, got)
		})
	}
}

// The number 950 is the same in the compiled policy, but not in the document.
func TestNumbersHaveTheUnitOfTheirOwnCondition(t *testing.T) {
	tokens := strings.Replace(before, "budget.used_percent: {gte: 95}", "request.tokens: {gte: 950}", 1)
	got := policydiff.Compare(compile(t, tokens), compile(t, before))
	require.Equal(t, []policydiff.Change{
		{"routes.auto.select[night].when[0].field", "changed", "request.tokens", "budget.used_percent"},
		{"routes.auto.select[night].when[0].min", "changed", "950", "95"},
	}, got)
}

// only leaves out cache prices that follow from the one that was changed.
func only(got, want []policydiff.Change) (left []policydiff.Change) {
	for _, c := range got {
		if strings.Contains(c.Path, ".cache_") && len(want) == 1 && strings.HasSuffix(want[0].Path, "].input") {
			continue
		}
		left = append(left, c)
	}
	return left
}

func TestWholeRoutesAndModelsComeAndGo(t *testing.T) {
	after := strings.Replace(before, "  large:", "  huge: {endpoints: [{provider: b, model: h}]}\n  large:", 1)
	after = strings.Replace(after, "  aimed:", "  deep: {select: [{target: huge}]}\n  aimed:", 1)
	got := policydiff.Compare(compile(t, before), compile(t, after))
	require.Len(t, got, 2)
	require.Equal(t, []string{"models.huge", policydiff.Added}, []string{got[0].Path, got[0].Kind})
	require.Equal(t, []string{"routes.deep", policydiff.Added, ""}, []string{got[1].Path, got[1].Kind, got[1].Old})
	require.Contains(t, got[1].New, "huge")
	back := policydiff.Compare(compile(t, after), compile(t, before))
	require.Equal(t, []string{policydiff.Removed, policydiff.Removed}, []string{back[0].Kind, back[1].Kind})
	require.Equal(t, got[1].New, back[1].Old)
}

// Values that are shown as a whole have the numbers and durations of the document.
func TestWholeValuesAreWrittenLikeTheDocument(t *testing.T) {
	whole := func(old, now, path string) string {
		require.Contains(t, before, old)
		for _, c := range policydiff.Compare(compile(t, before), compile(t, strings.Replace(before, old, now, 1))) {
			if c.Path == path {
				require.True(t, json.Valid([]byte(c.New)), c.New)
				return c.New
			}
		}
		require.Fail(t, "no change of "+path)
		return ""
	}
	provider := whole("models:\n", "  c: {kind: openai, base_url: https://c.example/v1, timeouts: {connect: 3s, total: 1h}}\nmodels:\n", "providers.c")
	require.Regexp(t, `^\{"name":"c","kind":"openai","base_url":"https://c.example/v1","timeouts":\{"connect":"3s",.*"total":"1h"\}`, provider)
	model := whole("  large:", "  huge: {endpoints: [{provider: b, model: h}], quality: {code: 0.5}, price: {input: \"1\", output: \"2\", per: 1M, effective: 2026-11-01}}\n  large:", "models.huge")
	require.Contains(t, model, `"quality":{"code":0.5}`)
	require.Contains(t, model, `"input":"$1.00 per 1M"`)
	rule := whole("- {name: first", `- {name: new, when: {budget.used_percent: {lte: 12.5}, time.utc: "22:00-06:00"}, min_quality: 0.9, candidates: [small]}`+"\n      - {name: first", "routes.auto.select[new]")
	require.JSONEq(t, `{"name":"new","when":[{"field":"budget.used_percent","max":12.5},{"field":"time.utc","window":"22:00-06:00"}],"strategy":"ordered","candidates":["small"],"min_quality":0.9}`, rule)
}

// Models that the document does not list are counted, not listed.
func TestTheUnlistedAreSummedUp(t *testing.T) {
	from := compile(t, "version: 1\nproviders: {groq: {}}\n")
	to := compile(t, "version: 1\nproviders: {groq: {}, openai: {}}\n")
	got := policydiff.Compare(from, to)
	require.Len(t, got, 2, got)
	require.Equal(t, "providers.openai", got[0].Path)
	require.Equal(t, "models that are not listed", got[1].Path)
	require.Contains(t, got[1].New, " added, 0 removed, ")
}

func TestUnified(t *testing.T) {
	require.Empty(t, policydiff.UnifiedDiff("a\n", "a\n"))
	require.Equal(t, "@@ -1,1 +1,1 @@\n-a\n+b\n", policydiff.UnifiedDiff("a\n", "b\n"))
	long := strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "\n") + "\n"
	edited := strings.Replace(strings.Replace(long, "b\n", "", 1), "y\n", "y\nY\n", 1)
	require.Equal(t, "@@ -1,5 +1,4 @@\n a\n-b\n c\n d\n e\n@@ -23,4 +22,5 @@\n w\n x\n y\n+Y\n z\n", policydiff.UnifiedDiff(long, edited))
	require.Equal(t, "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n-d\n+D\n e\n", policydiff.UnifiedDiff("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"))
	huge := strings.Repeat("x\ny\n", 3000)
	require.Equal(t, 12_003, strings.Count(policydiff.UnifiedDiff("a\n"+huge+"e\n", "b\n"+strings.Repeat("y\nx\n", 3000)+"f\n"), "\n")-2)
}
