package predict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// gap returns the reading of a text for two models, and their gap.
func gap(t *testing.T, text, strong, weak string) (predict.Reading, int64) {
	p, v := load(t), features.NewReader().Read(text)
	a, b := predict.Candidate{Model: p.Lookup(strong), Ability: 430}, predict.Candidate{Model: p.Lookup(weak), Ability: 250}
	r := p.ReadPair(&predict.Scratch{}, v.AppendTo(nil), text, a, b)
	if r.Similarity == 0 {
		return r, 0
	}
	return r, r.Gap(a, b)
}

// Outcomes of both models on the same texts count more than the greatest membership.
func TestPairsGoByTheirOwnOutcomes(t *testing.T) {
	const trivia = "Who wrote the novel Dracula?"
	r, measured := gap(t, trivia, "llama-3.1-nemotron-51b-instruct", "mistral-7b-instruct-v0.3")
	require.Equal(t, int64(predict.Inside), r.Similarity)
	require.NotZero(t, measured)
	r, _ = gap(t, trivia, "gpt-6.1-sol", "gpt-6.1-luna")
	require.Zero(t, r.Similarity, "a strict collection says nothing about other models")
}

// Models of different benchmarks are compared by their abilities, so that the gap is that of
// unknown models with the same abilities.
func TestOutcomesOfDifferentPanelsAreNotCompared(t *testing.T) {
	_, mixed := gap(t, apples, "gpt-4-1106-preview", "Meta-Llama-3.1-8B-Instruct")
	_, unknown := gap(t, apples, "gpt-6.1-sol", "gpt-6.1-luna")
	require.Equal(t, unknown, mixed)
	_, same := gap(t, apples, "gpt-4o-2024-08-06", "Meta-Llama-3.1-8B-Instruct")
	require.NotEqual(t, unknown, same)
}
