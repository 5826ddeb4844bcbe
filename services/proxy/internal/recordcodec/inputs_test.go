package recordcodec_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// A record contains all inputs of its decision: the question and the health of the candidates, as
// pkg/decide takes them.

// questionOf returns the question of a record; false if the record has no decision or is older than
// the recorded inputs.
func questionOf(r *recordv1.RequestRecord) (decide.Question, bool) {
	in := r.GetDecisionInputs()
	if in == nil {
		return decide.Question{}, false
	}
	q := decide.Question{
		Kind: catalog.Chat, Model: r.GetRequestedModel(), InputTokens: in.GetInputTokens(), MaxOutputTokens: in.GetMaxOutputTokens(),
		Features: decide.NamedValuesFromMap(r.GetFeatures()), BudgetUsed: in.BudgetUsed, Metadata: in.GetMetadata(),
		Qualities: decide.NamedValuesFromMap(in.GetQualities()), Predictor: in.GetPredictor(), Seed: in.GetSeed(),
		NativeProtocol: catalog.Protocol(in.GetNativeProtocol()), NativeOnly: in.GetNativeOnly(), Issuer: in.GetIssuer(), OwnEffort: in.GetOwnEffort(),
		Caller: decide.Caller{
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
	if in.MaxCostNanoUsd != nil {
		q.MaxCost = decide.KnownInt(in.GetMaxCostNanoUsd())
	}
	if in.GetStickyModel() != "" {
		q.Sticky = &decide.Candidate{Model: in.GetStickyModel(), Provider: in.GetStickyProvider()}
	}
	return q, true
}

// recordedHealth is the recorded health of the candidates. Other candidates count as healthy.
type recordedHealth map[decide.Candidate]state

// state is the recorded health of one candidate.
type state struct {
	Down    string
	Latency int64
}

// healthOf returns the health in a record.
func healthOf(r *recordv1.RequestRecord) recordedHealth {
	h := recordedHealth{}
	for _, c := range r.GetCandidates() {
		h[decide.Candidate{Model: c.GetModel(), Provider: c.GetProvider()}] = state{c.GetDown(), c.GetLatencyUs()}
	}
	return h
}

// DownReason returns why a candidate was down.
func (h recordedHealth) DownReason(t decide.Candidate) string { return h[t].Down }

// Latency returns the expected latency of a candidate.
func (h recordedHealth) Latency(t decide.Candidate) int64 { return h[t].Latency }

func TestInputsInARecord(t *testing.T) {
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
		Kind: catalog.Embeddings, Model: "auto", InputTokens: 5, Features: decide.NamedValuesFromMap(map[string]int64{"inputs": 2}), Seed: 7,
		Caller: decide.Caller{AccountID: "a", KeyID: "k", Tags: []string{"eu"}},
	}, q)
	h := healthOf(r)
	require.Equal(t, "breaker open", h.DownReason(decide.Candidate{Model: "e", Provider: "p"}))
	require.EqualValues(t, 9, h.Latency(decide.Candidate{Model: "e", Provider: "p"}))
	require.Empty(t, h.DownReason(decide.Candidate{Model: "e", Provider: "other"}))
}
