package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// today is the date of the catalog, so that none of its models has retired.
var today = time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)

func TestDefaultWithoutCredentialsIsTheSandbox(t *testing.T) {
	p := compile(t, string(policy.Default(func(string) bool { return false }, load(t), today)))
	auto, ok := p.Route("auto", catalog.Chat)
	require.True(t, ok)
	require.Equal(t, []string{"sandbox-small", "sandbox-medium", "sandbox-large"}, auto.Select[0].Candidates)
	require.Equal(t, []string{"sandbox-medium", "sandbox-large"}, auto.OnFailure)
	embed, ok := p.Route("auto", catalog.Embeddings)
	require.True(t, ok)
	require.Equal(t, "sandbox-embed", embed.Select[0].Target)
	require.Equal(t, policy.Defaults{Baseline: "sandbox-large", EmbeddingBaseline: "sandbox-embed", Retries: policy.DefaultRetries(), Breaker: policy.DefaultBreaker()}, p.Defaults)
	require.Len(t, p.Providers, 1)
	require.Equal(t, "sandbox", p.Providers[0].Kind)
}

func TestDefaultNamesTheProvidersThatArePresent(t *testing.T) {
	present := map[string]bool{"OPENAI_API_KEY": true, "GROQ_API_KEY": true}
	p := compile(t, string(policy.Default(func(env string) bool { return present[env] }, load(t), today)))
	require.Len(t, p.Providers, 2)
	auto, _ := p.Route("auto", catalog.Chat)
	require.Equal(t, []string{"gpt-6-luna", "qwen3.6-27b", "gpt-6.1-terra", "gpt-6.1-sol", "qwen3.8-27b"}, auto.Select[0].Candidates)
	require.Equal(t, []string{"gpt-6.1-sol", "qwen3.8-27b"}, auto.OnFailure)
	require.Equal(t, "gpt-6.1-sol", p.Defaults.Baseline)
	require.Equal(t, "text-embedding-3-small", p.Defaults.EmbeddingBaseline)
	_, ok := p.Model("sandbox-small")
	require.False(t, ok, "the sandbox is off once a real provider is on")
	other, ok := p.Model("gpt-oss-120b")
	require.True(t, ok, "who names another model of a provider gets it")
	require.True(t, other.Unlisted)
	_, ok = p.Model("claude-opus-5-5")
	require.False(t, ok, "but none of a provider without a credential")
}

// The default policy lists no retiring model and no model with a doubtful price.
func TestDefaultProposesWhatLasts(t *testing.T) {
	cat := load(t)
	for _, provider := range cat.Providers() {
		p := compile(t, string(policy.Default(func(env string) bool { return env == provider.CredentialEnv }, cat, today)))
		for _, m := range p.Models {
			known, ok := cat.Model(m.ID)
			require.True(t, ok)
			if m.Unlisted || known.Endpoints[0].Provider == "sandbox" {
				continue
			}
			require.Equal(t, catalog.StatusActive, known.Status, m.ID)
			require.NotEqual(t, "claude-sonnet-4-5", m.ID, "it ends within a fortnight")
			price, ok := m.PriceAt(provider.ID, today)
			require.True(t, ok, m.ID)
			require.Positive(t, price.Input, m.ID)
			require.LessOrEqual(t, price.Output, int64(25_000_000), m.ID)
		}
		listed := slices.DeleteFunc(slices.Clone(p.Models), func(m policy.Model) bool { return m.Unlisted })
		require.LessOrEqual(t, len(listed), 4, "%s: three models to talk to and one to embed with", provider.ID)
	}
}

func TestDefaultDropsWhatEnds(t *testing.T) {
	providers := `[{"id":"p","kind":"openai","base_url":"https://p.example/v1","env":"P_KEY"}]`
	model := func(id, more string) string {
		return `{"id":"` + id + `","kind":"chat","context":9000,"prices":[{"effective":"2026-01-01T00:00:00Z","input":1000000,"output":2000000}],` +
			`"quality":{"general":700},` + more + `"endpoints":[{"provider":"p","model":"` + id + `"}]}`
	}
	cat, err := catalog.Parse([]byte(providers), []byte(`{"models":[`+model("going", `"retires":"2026-12-31",`)+`,`+
		model("old", `"status":"deprecated",`)+`,`+model("young", `"status":"preview",`)+`,`+model("kept", "")+`]}`))
	require.NoError(t, err)
	for now, want := range map[time.Time][]string{
		today: {"kept"}, today.AddDate(0, -2, 0): {"going"},
	} {
		p, err := policy.Compile(policy.Default(func(string) bool { return true }, cat, now), cat)
		require.NoError(t, err)
		auto, _ := p.Route("auto", catalog.Chat)
		require.Equal(t, want, auto.Select[0].Candidates, now)
	}
}

func TestDefaultCompilesForEveryEnvironment(t *testing.T) {
	cat := load(t)
	check := func(present map[string]bool) {
		_, err := policy.Compile(policy.Default(func(env string) bool { return present[env] }, cat, today), cat)
		require.NoError(t, err, "%v", present)
	}
	all := map[string]bool{}
	for _, p := range cat.Providers() {
		all[p.CredentialEnv] = true
		check(map[string]bool{p.CredentialEnv: true})
		check(map[string]bool{p.CredentialEnv: true, "MISTRAL_API_KEY": true})
	}
	check(all)
}
