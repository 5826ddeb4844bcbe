package proxy

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

func TestParkedKeysAreShownByName(t *testing.T) {
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(t, err)
	var ps providers
	require.NoError(t, ps.measure(tel.Meter.Meter(meterName)))
	require.Empty(t, ps.suspendedKeys(), "before there is a policy")

	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := &policy.Policy{Providers: []policy.Provider{{
		Name: "acme", Kind: "openai", BaseURL: u.URL, AllowPrivate: true, Keys: []policy.CredentialRef{{Ref: "env:ONE"}, {Ref: "file:/etc/keys/two"}},
	}}}
	secrets := func(ref string) (config.Secret, error) { return config.Secret("secret of " + ref), nil }
	require.NoError(t, ps.build("test", secrets, p))
	require.Empty(t, ps.suspendedKeys())

	u.Script(scripted.JSON(401, `{}`), scripted.JSON(401, `{}`))
	c, _ := ps.adaptersOf(p).ChatCompleter("acme")
	for range 2 { // each call uses another key
		_, err = c.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
		require.Error(t, err)
	}
	require.Equal(t, "acme env:ONE, acme file:two", ps.suspendedKeys())
	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	require.Regexp(t, `(?m)^signalbox_provider_key_suspended\{key="env:ONE",.*provider="acme"\} 1$`, w.Body.String())
	require.NotContains(t, w.Body.String(), "secret of")
}

// While a rollout is open, both policies have adapters. Requests that still run with an older
// policy keep theirs until the next change.
func TestBothPoliciesOfARolloutHaveAdapters(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	cat, err := catalog.Load()
	require.NoError(t, err)
	with := func(provider string) *policy.Policy {
		p, err := policy.Compile([]byte("version: 1\nproviders: {"+provider+": {kind: openai, base_url: "+u.URL+", allow_private: true, keys: [{ref: env:ONE}]}}\n"+
			"models: {m: {endpoints: [{provider: "+provider+", model: m}]}}\n"), cat)
		require.NoError(t, err)
		return p
	}
	secrets := func(ref string) (config.Secret, error) { return config.Secret(ref), nil }
	var ps providers
	serves := func(p *policy.Policy, provider string) bool {
		_, ok := ps.adaptersOf(p).ChatCompleter(provider)
		return ok
	}
	stable, candidate := with("acme"), with("beta")
	require.NoError(t, ps.build("test", secrets, stable))
	for range 3 { // rollouts begin and end
		require.NoError(t, ps.build("test", secrets, stable, candidate))
		require.True(t, serves(stable, "acme") && serves(candidate, "beta"))
		require.False(t, serves(stable, "beta"))
		require.Len(t, ps.keys(), 2)
		require.NoError(t, ps.build("test", secrets, stable))
		require.True(t, serves(stable, "acme") && serves(candidate, "beta"), "a request of the candidate still runs")
		require.Len(t, ps.keys(), 1)
	}
	require.NoError(t, ps.build("test", secrets, with("gamma")))
	require.True(t, serves(stable, "acme"))
}
