package control_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// A record holds all that its decision was made from: the question and the
// health that was known, as pkg/decide takes them.

// questionOf is what was asked; false on a record of which nothing was decided, or
// that is older than its inputs.
func questionOf(r *recordv1.RequestRecord) (decide.Question, bool) {
	in := r.GetDecisionInputs()
	if in == nil {
		return decide.Question{}, false
	}
	q := decide.Question{
		Kind: catalog.Chat, Model: r.GetRequestedModel(), InputTokens: in.GetInputTokens(), MaxOutputTokens: in.GetMaxOutputTokens(),
		Features: decide.NumbersOf(r.GetFeatures()), BudgetUsed: in.BudgetUsed, Metadata: in.GetMetadata(),
		Qualities: decide.NumbersOf(in.GetQualities()), Predictor: in.GetPredictor(), Seed: in.GetSeed(),
		Asker: decide.Asker{
			AccountID: r.GetAccountId(), KeyID: r.GetKeyId(), Tags: in.GetTags(), Models: in.GetModels(),
			MaySwapModel: in.GetMaySwapModel(), Baseline: in.GetBaselineModel(),
		},
	}
	if r.GetEndpoint() == recordv1.Endpoint_ENDPOINT_EMBEDDINGS {
		q.Kind = catalog.Embeddings
	}
	for _, need := range in.GetNeeds() {
		q.Needs = append(q.Needs, catalog.Capability(need))
	}
	if in.GetAt() != 0 {
		q.At = time.Unix(in.GetAt(), 0).UTC()
	}
	if in.GetStickyModel() != "" {
		q.Sticky = &decide.Target{Model: in.GetStickyModel(), Provider: in.GetStickyProvider()}
	}
	return q, true
}

// known is what was known of the candidates. Of others nothing is: they count
// as up.
type known map[decide.Target]state

// state is what was known of one.
type state struct {
	Down    string
	Latency int64
}

// knownOf takes it from a record.
func knownOf(r *recordv1.RequestRecord) known {
	h := known{}
	for _, c := range r.GetCandidates() {
		h[decide.Target{Model: c.GetModel(), Provider: c.GetProvider()}] = state{c.GetDown(), c.GetLatencyUs()}
	}
	return h
}

// Down is why a target was down.
func (h known) Down(t decide.Target) string { return h[t].Down }

// Latency is what was expected of a target.
func (h known) Latency(t decide.Target) int64 { return h[t].Latency }

func TestWhatARecordTells(t *testing.T) {
	_, ok := questionOf(&recordv1.RequestRecord{RequestedModel: "auto"})
	require.False(t, ok, "an old record")

	r := &recordv1.RequestRecord{
		Endpoint: recordv1.Endpoint_ENDPOINT_EMBEDDINGS, RequestedModel: "auto", AccountId: "a", KeyId: "k", Features: map[string]int64{"inputs": 2},
		DecisionInputs: &recordv1.DecisionInputs{InputTokens: 5, Tags: []string{"eu"}, Seed: 7},
		Candidates:     []*recordv1.Candidate{{Model: "e", Provider: "p", Down: "breaker open", LatencyUs: 9}},
	}
	q, ok := questionOf(r)
	require.True(t, ok)
	require.Equal(t, decide.Question{
		Kind: catalog.Embeddings, Model: "auto", InputTokens: 5, Features: decide.NumbersOf(map[string]int64{"inputs": 2}), Seed: 7,
		Asker: decide.Asker{AccountID: "a", KeyID: "k", Tags: []string{"eu"}},
	}, q)
	h := knownOf(r)
	require.Equal(t, "breaker open", h.Down(decide.Target{Model: "e", Provider: "p"}))
	require.EqualValues(t, 9, h.Latency(decide.Target{Model: "e", Provider: "p"}))
	require.Empty(t, h.Down(decide.Target{Model: "e", Provider: "other"}))
}
