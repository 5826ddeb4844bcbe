package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// priced returns a policy with one model at a price in dollars per million tokens.
func priced(usd string) string {
	return "version: 1\nmodels: {sandbox-small: {price: {input: \"" + usd + "\", output: \"" + usd + "\"}}}\nroutes: {auto: {select: [{target: sandbox-small}]}}\n"
}

// allUp is the health of candidates that were never down.
type allUp struct{}

func (allUp) DownReason(decide.Candidate) string { return "" }
func (allUp) Latency(decide.Candidate) int64     { return 0 }

// A replay compares the new cost with that of the original decision, at the prices of the
// policy that made it. A request without a known version has no original cost.
func TestAReplayUsesThePricesOfTheOriginalPolicy(t *testing.T) {
	e, err := open(t, openStore(t), "")
	require.NoError(t, err)
	before, err := e.Publish(t.Context(), engine.Draft{Document: priced("1")})
	require.NoError(t, err)
	_, err = e.Publish(t.Context(), engine.Draft{Document: priced("3")})
	require.NoError(t, err)

	r, err := e.NewReplay(priced("2"))
	require.NoError(t, err)
	past := engine.RecordedRequest{
		Question: decide.Question{Kind: catalog.Chat, Model: "auto", At: time.Now()},
		Health:   allUp{},
		Usage:    &catalog.Usage{Input: 1_000_000}, Chosen: &decide.Candidate{Model: "sandbox-small", Provider: "sandbox"},
		PolicyVersion: before.Name,
	}
	const dollar = 1_000_000_000
	for range 2 { // also from the cache of versions
		got, err := r.Decide(t.Context(), past)
		require.NoError(t, err)
		require.NoError(t, got.Refusal)
		require.EqualValues(t, 2*dollar, *got.Cost)
		require.EqualValues(t, 1*dollar, *got.OriginalCost)
	}
	past.PolicyVersion = ""
	got, err := r.Decide(t.Context(), past)
	require.NoError(t, err)
	require.Nil(t, got.OriginalCost)
}
