package decide_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

func testPolicy(t testing.TB) *policy.Policy { return policyOf(t, "places") }

func TestDecisionNamesItsVersions(t *testing.T) {
	p := testPolicy(t)
	d, err := decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: "auto"}, decide.AllHealthy{})
	require.NoError(t, err)
	require.Equal(t, p.Version(), d.PolicyVersion)
	require.Equal(t, p.Catalog, d.CatalogVersion)
	require.Equal(t, decide.EngineVersion, d.EngineVersion)
}

func TestContextErrorHasThePhrasesThatClientsLookFor(t *testing.T) {
	_, err := decide.Decide(testPolicy(t), decide.Question{Kind: catalog.Chat, Model: "small", InputTokens: 1 << 30}, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.ContextLengthExceeded))
	require.ErrorContains(t, err, "context_length_exceeded")
	require.ErrorContains(t, err, "maximum context length")
}

func TestNoNameIsSuggestedThatWouldNotDo(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nproviders: {sandbox: {}}\nmodels: {m: {endpoints: [{provider: sandbox, model: x}]}}\n"+
		"defaults: {baseline: m}\nroutes: {auto: {select: [{candidates: [m]}]}}"), cat)
	require.NoError(t, err)
	for kind, want := range map[catalog.Kind]any{catalog.Embeddings: nil, catalog.Chat: "auto"} {
		_, err = decide.Decide(p, decide.Question{Kind: kind, Model: "autoo"}, decide.AllHealthy{})
		require.True(t, apperr.Is(err, apperr.ModelNotFound))
		require.Equal(t, want, apperr.From(err).Details["did_you_mean"], kind)
	}
	_, err = decide.Decide(p, decide.Question{Kind: catalog.Embeddings, Model: "auto"}, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotFound))
	require.NotContains(t, apperr.From(err).Details, "did_you_mean")
}

func TestLongNamesAreNotEchoedWhole(t *testing.T) {
	endless := strings.Repeat("x", 1<<20)
	_, err := decide.Decide(testPolicy(t), decide.Question{Kind: catalog.Chat, Model: endless}, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotFound))
	require.Less(t, len(apperr.From(err).Body(apperr.Options{})), 1000)

	cat, err := catalog.Load()
	require.NoError(t, err)
	long := strings.Repeat("m", 128)
	p, err := policy.Compile([]byte("version: 1\nproviders: {sandbox: {}}\nmodels: {"+long+": {endpoints: [{provider: sandbox, model: x}]}}"), cat)
	require.NoError(t, err)
	_, err = decide.Decide(p, decide.Question{Kind: catalog.Chat, Model: long, Caller: decide.Caller{Models: []string{"other"}}}, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.ModelNotAllowed))
	require.NotContains(t, string(apperr.From(err).Body(apperr.Options{})), long)
}
