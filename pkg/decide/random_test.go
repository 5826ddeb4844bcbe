package decide_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// dice generates policies and questions from a seed.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }
func (d dice) some(words ...string) []string {
	var all []string
	for _, w := range words {
		if d.IntN(2) == 0 {
			all = append(all, w)
		}
	}
	return all
}

func list(words []string) string { return "[" + strings.Join(words, ", ") + "]" }

var (
	modelNames    = []string{"m0", "m1", "m2", "m3", "m4", "m5"}
	providerNames = []string{"p0", "p1", "p2"}
	words         = []string{"a", "b", "c"}
)

func (d dice) policy() string {
	var b strings.Builder
	b.WriteString("version: 1\nproviders:\n")
	for i, p := range providerNames {
		fmt.Fprintf(&b, "  %s: {kind: sandbox, tags: %s, cache: {mode: %s}}\n", p, list(append(d.some("d", "e"), words[i])), d.of("automatic", "marked", "none"))
	}
	b.WriteString("models:\n")
	for _, m := range modelNames {
		var places []string
		for _, p := range append(d.some("p0", "p1"), "p2") {
			places = append(places, fmt.Sprintf("{provider: %s, model: x, price: {input: \"1.%d\", cache_read: \"0.%d\", output: \"%d\"}}", p, d.IntN(9), 1+d.IntN(9), 2+d.IntN(8)))
		}
		fmt.Fprintf(&b, "  %s: {endpoints: %s, efforts: [low, high], context: %d, capabilities: %s, quality: {general: 0.%d, code: 0.%d}}\n",
			m, list(places), 1000*(1+d.IntN(9)), list(d.some("tools", "vision")), 100+d.IntN(899), 100+d.IntN(899))
	}
	b.WriteString("defaults: {baseline: m0, unlisted: deny}\nroutes:\n  auto:\n    select:\n")
	for range d.IntN(4) {
		fmt.Fprintf(&b, "      - {when: {%s}, %s}\n", d.when(), d.action())
	}
	fmt.Fprintf(&b, "      - {%s}\n    on_failure: %s\n", d.candidates(), list(d.some(append(modelNames, "m2#high", "m4#low")...)))
	if d.IntN(2) == 0 {
		fmt.Fprintf(&b, "    affinity: {yields_to: %s}\n", list(d.some("breaker", "rate_limit")))
	}
	return b.String()
}

func (d dice) when() string {
	return d.of(
		"key.tag: "+d.of(words...), fmt.Sprintf("budget.used_percent: {gte: %d}", d.IntN(100)),
		fmt.Sprintf("time.utc: \"%02d:00-%02d:30\"", d.IntN(24), d.IntN(24)), "time.weekday: "+d.of("mon", "tue", "mon-fri"),
		"request.metadata.purpose: "+d.of(words...), "request.stream: "+d.of("true", "false"),
		fmt.Sprintf("request.tokens: {gt: %d}", d.IntN(5000)), "feature.code: true", "request.capability: tools", "account: a", "key.id: b")
}

func (d dice) action() string {
	switch d.IntN(5) {
	case 0:
		return "target: " + d.of(modelNames...)
	case 1:
		return "target: " + d.of(modelNames...) + "@p2"
	case 2:
		return "deny: \"no\""
	case 3:
		return fmt.Sprintf("require: [{provider.tag: %s}]", d.of("a", "b", "c"))
	}
	return d.candidates()
}

func (d dice) candidates() string {
	names := append(d.some("m1", "m2", "m3", "m4", "m5", "m1#low", "m2#high", "m2@p2#low"), "m0")
	s := fmt.Sprintf("candidates: %s, strategy: %s", list(names), d.of("ordered", "cheapest", "quality", "fastest", "balanced", "weighted"))
	if d.IntN(3) == 0 {
		s = fmt.Sprintf("candidates: %s, aim: %s", list(names), d.of("balanced", fmt.Sprintf("{quality: 0.%d}", 100+d.IntN(899)), fmt.Sprintf("{cost: %d.%d}", d.IntN(3), 1+d.IntN(9))))
	}
	if d.IntN(2) == 0 {
		s += fmt.Sprintf(", min_quality: 0.%d", 100+d.IntN(899))
	}
	return s
}

func (d dice) question() decide.Question {
	used := int64(d.IntN(1200))
	q := decide.Question{
		Kind: catalog.Chat, Model: d.of("auto", "auto", "auto", "auto:economy", "auto:balanced", "auto:quality", "m1", "p2/m2", "m3@p2", "m1#high"), OwnEffort: d.IntN(4) == 0, InputTokens: int64(d.IntN(8000)), MaxOutputTokens: int64(d.IntN(500)),
		Features: decide.NamedValuesFromMap(map[string]int64{"stream": int64(d.IntN(2)), "code": int64(d.IntN(2))}), Metadata: map[string]string{"purpose": d.of(words...)},
		At: time.Date(2026, 11, 1+d.IntN(28), d.IntN(24), d.IntN(60), 0, 0, time.UTC), BudgetUsed: &used, Seed: d.Uint64(),
		Caller: decide.Caller{AccountID: d.of(words...), KeyID: d.of(words...), Tags: d.some(words...), MaySwapModel: d.IntN(2) == 0},
	}
	if d.IntN(3) == 0 {
		q.MaxCost = decide.KnownInt(d.Int64N(40_000_000))
	}
	for _, need := range d.some("tools", "vision") {
		q.Needs = append(q.Needs, catalog.Capability(need))
	}
	if d.IntN(2) == 0 {
		q.Sticky = &decide.Candidate{Model: d.of(modelNames...), Provider: d.of(providerNames...)}
	}
	if d.IntN(2) == 0 {
		q.Qualities, q.Predictor = decide.NamedValues{}, "dice"
		for _, m := range d.some(modelNames...) {
			q.Qualities = append(q.Qualities, decide.NamedValue{Name: m, Value: int64(d.IntN(1000))})
		}
	}
	if d.IntN(4) == 0 {
		q.Caller.Models = append(d.some(modelNames...), q.Model)
	}
	if d.IntN(2) == 0 {
		q.Session = d.session(q.At)
	}
	return q
}

func (d dice) session(now time.Time) *decide.Session {
	s := &decide.Session{
		LastAt: now.Unix() - d.Int64N(1000), Turns: d.Int64N(60), ToolLoop: d.IntN(2) == 0, SideCall: d.IntN(4) == 0, MarksCache: d.IntN(2) == 0,
		AddedTokens: d.Int64N(3000), OutputTokens: d.Int64N(1000),
	}
	if d.IntN(4) > 0 {
		s.Last = &decide.Candidate{Model: d.of(modelNames...), Provider: d.of(providerNames...)}
	}
	for range d.IntN(4) {
		held := decide.Candidate{Model: d.of(modelNames...), Provider: d.of(providerNames...)}
		s.Cached = append(s.Cached, decide.CachedPrefix{Candidate: held, Tokens: d.Int64N(8000), Expires: now.Unix() + d.Int64N(600) - 200})
	}
	return s
}

func (d dice) health() state {
	s := state{map[string]string{}, map[string]int64{}}
	for _, m := range modelNames {
		for _, p := range providerNames {
			if d.IntN(4) == 0 {
				s.down[m+"@"+p] = d.of("breaker open", "OVER_LIMIT: enough", decide.Drained)
			}
			if d.IntN(2) == 0 {
				s.latency[m+"@"+p] = int64(d.IntN(1_000_000))
			}
		}
	}
	return s
}

// drains returns the candidates that are drained: in a world of healthy providers, they still are.
func (s state) drains() map[string]string {
	only := map[string]string{}
	for name, why := range s.down {
		if why == decide.Drained {
			only[name] = why
		}
	}
	return only
}

// made is a random case that compiles.
func (d dice) made(t *testing.T, cat *catalog.Catalog) *policy.Policy {
	for {
		p, err := policy.Compile([]byte(d.policy()), cat)
		if err == nil {
			return p
		}
		for _, problem := range err.(policy.Problems) { //nolint:errorlint // the documented type
			require.Contains(t, []string{policy.CodeDeadRule, policy.CodeNoCandidate, policy.CodeImpossible}, problem.Code, problem)
		}
	}
}

func encode(t *testing.T, d *decide.Decision, err error) string {
	if err != nil {
		return err.Error()
	}
	text, fault := json.Marshal(d)
	require.NoError(t, fault)
	return string(text)
}

// For any policy and question, the same inputs give the same bytes: in any order of needs,
// from a policy that was stored and decoded, and from a health that contains only the verdicts.
func TestRandomDecisionsAreRepeatable(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	d := dice{rand.New(rand.NewPCG(1, 2))} //nolint:gosec // repeatable on purpose
	decided, refused := 0, 0
	for range 150 {
		p := d.made(t, cat)
		stored, err := policy.Decode(p.Canonical())
		require.NoError(t, err)
		for range 20 {
			q, h := d.question(), d.health()
			first, err := decide.Decide(p, q, h)
			want := encode(t, first, err)
			slices.Reverse(q.Needs)
			again, err2 := decide.Decide(stored, q, h)
			require.Equal(t, want, encode(t, again, err2))
			if err != nil {
				require.NotEqual(t, apperr.Internal, apperr.CodeOf(err))
				refused++
				continue
			}
			decided++
			again, err2 = decide.Decide(stored, q, kept(first))
			require.Equal(t, want, encode(t, again, err2), "recomputed from its verdicts")
			sane(t, p, q, h, first)
		}
	}
	require.Greater(t, decided, 1000)
	require.Greater(t, refused, 100)
}

// kept returns the health that a decision's verdicts describe.
func kept(d *decide.Decision) state {
	s := state{map[string]string{}, map[string]int64{}}
	for _, v := range d.Verdicts {
		s.down[at(v.Candidate.Endpoint())], s.latency[at(v.Candidate.Endpoint())] = v.DownReason, v.Latency
	}
	return s
}

// sane checks what holds for every decision.
func sane(t *testing.T, p *policy.Policy, q decide.Question, h state, d *decide.Decision) {
	planned := map[decide.Candidate]bool{}
	for _, target := range d.Plan {
		require.False(t, planned[target], "each once")
		require.False(t, q.OwnEffort && target.Effort != "", "the client's own effort wins")
		planned[target] = true
		require.NotEqual(t, decide.Drained, h.down[at(target.Endpoint())], "a drain is never ignored")
		m, ok := p.Model(target.Model)
		require.True(t, ok)
		e, ok := m.EndpointAt(target.Provider)
		require.True(t, ok)
		for _, need := range q.Needs {
			require.True(t, m.EndpointSupports(e, need))
		}
		require.LessOrEqual(t, q.InputTokens+q.MaxOutputTokens, m.EndpointContext(e))
		if q.MaxCost.Known {
			require.LessOrEqual(t, decide.HighestCost(m, e, &q).Value, q.MaxCost.Value)
		}
	}
	chosen := 0
	for _, v := range d.Verdicts {
		require.Equal(t, planned[v.Candidate], v.Code == decide.Chosen || v.Code == decide.Fallback, v)
		if v.Code == decide.Chosen {
			chosen++
			require.Equal(t, d.Plan[0], v.Candidate)
		}
	}
	require.Equal(t, 1, chosen)
	healthy, err := decide.Decide(p, q, state{h.drains(), h.latency})
	require.NoError(t, err)
	require.Equal(t, healthy.Plan[0], d.HealthyFirst)
	require.Equal(t, healthy.PolicyControlled, d.PolicyControlled)
}
