package recordcodec_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

const asItWas = `version: 1
providers: {us: {kind: sandbox}, eu: {kind: sandbox, tags: [eu]}}
models:
  small: {efforts: [low, high], endpoints: [{provider: us, model: s}, {provider: eu, model: s}], price: {input: "0.1", output: "0.4"}, context: 9000, quality: {general: 0.6}}
  large: {endpoints: [{provider: us, model: l}, {provider: eu, model: l}], price: {input: "3", output: "9"}, capabilities: [tools, vision], quality: {general: 0.9}}
defaults: {baseline: large, unlisted: deny}
routes:
  auto:
    select:
      - {name: legal, when: {key.tag: legal}, target: large}
      - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {name: save, when: {budget.used_percent: {gte: 95}}, target: small}
      - {name: batch, when: {request.metadata.purpose: batch, time.weekday: sat-sun}, strategy: weighted, candidates: [small, large]}
      - {name: code, when: {feature.code: {gte: 500}}, strategy: quality, candidates: [small, large]}
      - {name: long, when: {request.tokens: {gt: 5000}}, strategy: fastest, candidates: [small, large]}
      - {name: dial, when: {feature.code: {gte: 250}}, aim: {quality: 0.9}, candidates: [small, small#low, {model: small, effort: high}, large]}
      - {strategy: cheapest, candidates: [small, large], min_quality: 0.7}
    on_failure: [large, small]
    affinity: {}
`

const asItIs = `version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes: {auto: {select: [{deny: "closed"}]}}
`

func some[T any](d *rand.Rand, all ...T) (out []T) {
	for _, v := range all {
		if d.IntN(2) == 0 {
			out = append(out, v)
		}
	}
	return out
}

func asked(d *rand.Rand) decide.Question {
	used := int64(d.IntN(1000))
	q := decide.Question{
		Kind: catalog.Chat, Model: []string{"auto", "auto", "auto", "auto:economy", "auto:balanced", "auto:quality", "small", "small#high", "eu/large", "large@us"}[d.IntN(10)],
		OwnEffort: d.IntN(4) == 0,
		Needs:     some(d, catalog.Vision, catalog.Tools), InputTokens: int64(d.IntN(10_000)), MaxOutputTokens: int64(d.IntN(3)) * 300,
		Features: decide.NamedValuesFromMap(map[string]int64{"code": int64(d.IntN(1000)), "stream": 1}), At: time.Unix(1_794_700_000+d.Int64N(1e6), 0).UTC().Truncate(time.Minute),
		Metadata: map[string]string{"purpose": []string{"batch", "chat"}[d.IntN(2)]}, Seed: d.Uint64(), BudgetUsed: &used,
		Caller: decide.Caller{
			AccountID: "acc", KeyID: "key", Tags: some(d, "legal", "eu", "x"), MaySwapModel: d.IntN(2) == 0,
			Models: some(d, "auto", "auto:economy", "small", "small#low", "large", "eu/large", "large@us"), Baseline: []string{"", "small"}[d.IntN(2)],
		},
	}
	if d.IntN(2) == 0 {
		q.Sticky = &decide.Candidate{Model: []string{"small", "large"}[d.IntN(2)], Provider: []string{"us", "eu"}[d.IntN(2)]}
		q.Qualities, q.Predictor = decide.NamedValuesFromMap(map[string]int64{"small": d.Int64N(1000), "large": d.Int64N(1000)}), "dice-1"
	}
	if d.IntN(4) == 0 {
		q.NativeProtocol, q.NativeOnly = catalog.ProtocolMessages, []string{"signature"}
	}
	if d.IntN(3) == 0 {
		q.MaxCost = decide.KnownInt(d.Int64N(100_000_000))
	}
	if d.IntN(4) == 0 {
		q.Issuer = []string{"us", "eu"}[d.IntN(2)]
	}
	return q
}

func health(d *rand.Rand) recordedHealth {
	h := recordedHealth{}
	for _, model := range []string{"small", "large"} {
		for _, provider := range []string{"us", "eu"} {
			down := []string{"", "", "breaker open", "OVER_LIMIT: 600 requests a minute"}[d.IntN(4)]
			h[decide.Candidate{Model: model, Provider: provider}] = state{Down: down, Latency: d.Int64N(3) * 100_000}
		}
	}
	return h
}

// A decision can be recomputed to the same bytes from its record and the stored policy of its
// version, even after the policy has changed.
func TestADecisionIsRecomputedFromItsRecord(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	then, err := policy.Compile([]byte(asItWas), cat)
	require.NoError(t, err)
	now, err := policy.Compile([]byte(asItIs), cat)
	require.NoError(t, err)
	versions := map[string][]byte{then.Version(): then.Canonical(), now.Version(): now.Canonical()}
	d := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // repeatable on purpose
	decided := 0
	for range 4000 {
		q := asked(d)
		made, err := decide.Decide(then, q, health(d))
		if err != nil {
			continue
		}
		decided++
		r := record()
		r.AccountID, r.KeyID, r.Kind, r.RequestedModel, r.Decision = q.Caller.AccountID, q.Caller.KeyID, q.Kind, q.Model, made
		// The proxy does not know what the router added to the question.
		known := q
		known.Sticky, known.Qualities, known.Predictor = nil, nil, ""
		r.Question = &known
		stored := appended(nil, r)

		var kept recordv1.RequestRecord
		require.NoError(t, proto.Unmarshal(stored, &kept))
		p, err := policy.Decode(versions[kept.GetPolicyVersion()])
		require.NoError(t, err)
		again, ok := questionOf(&kept)
		require.True(t, ok)
		same, err := decide.Decide(p, again, healthOf(&kept))
		require.NoError(t, err)
		require.Equal(t, made, same)
		r.Decision = same
		require.Equal(t, asMessage(t, stored), asMessage(t, appended(nil, r)))
	}
	require.Greater(t, decided, 500)
}

// asMessage returns the canonical encoding of a message, because maps have no order.
func asMessage(t *testing.T, text []byte) string {
	var m recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(text, &m))
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(&m)
	require.NoError(t, err)
	return string(out)
}
