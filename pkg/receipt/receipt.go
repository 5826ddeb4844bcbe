// Package receipt takes a decision out of the record that keeps it: the question
// that was asked and the health that was known, as pkg/decide takes them. With
// the policy of the record's version the same decision comes out, to the byte;
// with another policy, what that would have done. It needs no text and decides
// nothing itself. The dashboard replays with it.
package receipt

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Question is what was asked; false on a record of which nothing was decided, or
// that is older than its inputs.
func Question(r *recordv1.RequestRecord) (decide.Question, bool) {
	in := r.GetDecisionInputs()
	if in == nil {
		return decide.Question{}, false
	}
	q := decide.Question{
		Kind: catalog.Chat, Model: r.GetRequestedModel(), InputTokens: in.GetInputTokens(), MaxOutputTokens: in.GetMaxOutputTokens(),
		Features: r.GetFeatures(), BudgetUsed: in.BudgetUsed, Metadata: in.GetMetadata(),
		Qualities: in.GetQualities(), Predictor: in.GetPredictor(), Seed: in.GetSeed(),
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

// Health is what was known of the candidates. Of others nothing is: they count
// as up.
type Health map[decide.Target]State

// State is what was known of one.
type State struct {
	Down    string
	Latency int64
}

// HealthOf takes it from a record.
func HealthOf(r *recordv1.RequestRecord) Health {
	h := Health{}
	for _, c := range r.GetCandidates() {
		h[decide.Target{Model: c.GetModel(), Provider: c.GetProvider()}] = State{c.GetDown(), c.GetLatencyUs()}
	}
	return h
}

// Down is why a target was down.
func (h Health) Down(t decide.Target) string { return h[t].Down }

// Latency is what was expected of a target.
func (h Health) Latency(t decide.Target) int64 { return h[t].Latency }
