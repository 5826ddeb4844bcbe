package receipt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/receipt"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

func TestWhatARecordTells(t *testing.T) {
	_, ok := receipt.Question(&recordv1.RequestRecord{RequestedModel: "auto"})
	require.False(t, ok, "an old record")

	r := &recordv1.RequestRecord{
		Endpoint: recordv1.Endpoint_ENDPOINT_EMBEDDINGS, RequestedModel: "auto", AccountId: "a", KeyId: "k", Features: map[string]int64{"inputs": 2},
		DecisionInputs: &recordv1.DecisionInputs{InputTokens: 5, Tags: []string{"eu"}, Seed: 7},
		Candidates:     []*recordv1.Candidate{{Model: "e", Provider: "p", Down: "breaker open", LatencyUs: 9}},
	}
	q, ok := receipt.Question(r)
	require.True(t, ok)
	require.Equal(t, decide.Question{
		Kind: catalog.Embeddings, Model: "auto", InputTokens: 5, Features: map[string]int64{"inputs": 2}, Seed: 7,
		Asker: decide.Asker{AccountID: "a", KeyID: "k", Tags: []string{"eu"}},
	}, q)
	h := receipt.HealthOf(r)
	require.Equal(t, "breaker open", h.Down(decide.Target{Model: "e", Provider: "p"}))
	require.EqualValues(t, 9, h.Latency(decide.Target{Model: "e", Provider: "p"}))
	require.Empty(t, h.Down(decide.Target{Model: "e", Provider: "other"}))
}
