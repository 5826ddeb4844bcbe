package decide_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

const qualityFloor = `version: 1
providers: {one: {kind: sandbox}}
models:
  best: {endpoints: [{provider: one, model: b}], price: {input: "3", output: "9"}, capabilities: [], quality: {general: 0.9}}
  good: {endpoints: [{provider: one, model: g}], price: {input: "1", output: "3"}, capabilities: [tools], quality: {general: 0.7}}
  poor: {endpoints: [{provider: one, model: p}], price: {input: "0.1", output: "0.3"}, capabilities: [tools], quality: {general: 0.3}}
defaults: {baseline: best}
routes:
  auto:
    select: [{strategy: cheapest, candidates: [best, good], min_quality: 0.8}]
    on_failure: [poor]
`

// A candidate that reaches min_quality but cannot serve the request must not hide the next
// best one. Otherwise the request would go to a fallback that is far worse.
func TestMinQualityCountsOnlyCandidatesThatCanServe(t *testing.T) {
	q := decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 100, Needs: []catalog.Capability{catalog.Tools}}
	p := compiled(t, qualityFloor)
	d, err := decide.Decide(p, q, decide.AllHealthy{})
	require.NoError(t, err)
	require.Equal(t, "good", d.Plan[0].Model, d.Reason.Text)
	require.Contains(t, d.Reason.Text, "comes closest")
}

// A candidate whose quality equals min_quality reaches it.
func TestMinQualityIncludesItsOwnValue(t *testing.T) {
	p := compiled(t, strings.Replace(qualityFloor, "min_quality: 0.8", "min_quality: 0.7", 1))
	d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "auto", InputTokens: 100}, decide.AllHealthy{})
	require.NoError(t, err)
	require.Equal(t, "good", d.Plan[0].Model, "the cheapest of best and good")
}
