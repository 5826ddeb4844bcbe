package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestDefaultWithoutCredentialsIsTheSandbox(t *testing.T) {
	p := compile(t, string(policy.Default(func(string) bool { return false }, load(t))))
	auto, ok := p.Route("auto", catalog.Chat)
	require.True(t, ok)
	require.Equal(t, []string{"sandbox-small", "sandbox-medium", "sandbox-large"}, auto.Select[0].Candidates)
	require.Equal(t, []string{"sandbox-medium", "sandbox-large"}, auto.OnFailure)
	embed, ok := p.Route("auto", catalog.Embeddings)
	require.True(t, ok)
	require.Equal(t, []string{"sandbox-embed"}, embed.Select[0].Candidates)
	require.Equal(t, policy.Defaults{Baseline: "sandbox-large", EmbeddingBaseline: "sandbox-embed", Retries: 2}, p.Defaults)
	require.Len(t, p.Providers, 1)
	require.Equal(t, "sandbox", p.Providers[0].Kind)
}

func TestDefaultNamesTheProvidersThatArePresent(t *testing.T) {
	present := map[string]bool{"OPENAI_API_KEY": true, "GROQ_API_KEY": true}
	p := compile(t, string(policy.Default(func(env string) bool { return present[env] }, load(t))))
	require.Len(t, p.Providers, 2)
	auto, _ := p.Route("auto", catalog.Chat)
	require.Equal(t, []string{"gpt-6-luna", "gpt-oss-20b", "gpt-6.1-sol", "gpt-oss-120b"}, auto.Select[0].Candidates)
	require.Equal(t, []string{"gpt-6.1-sol", "gpt-oss-120b"}, auto.OnFailure)
	require.Equal(t, "gpt-6.1-sol", p.Defaults.Baseline)
	require.Equal(t, "text-embedding-3-small", p.Defaults.EmbeddingBaseline)
	_, ok := p.Model("sandbox-small")
	require.False(t, ok, "the sandbox is off once a real provider is on")
}

func TestDefaultCompilesForEveryEnvironment(t *testing.T) {
	cat := load(t)
	check := func(present map[string]bool) {
		_, err := policy.Compile(policy.Default(func(env string) bool { return present[env] }, cat), cat)
		require.NoError(t, err, "%v", present)
	}
	all := map[string]bool{}
	for _, a := range cat.Providers() {
		all[a.Env] = true
		for _, b := range cat.Providers() {
			check(map[string]bool{a.Env: true, b.Env: true})
		}
	}
	check(all)
}
