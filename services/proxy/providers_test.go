package proxy

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/scripted/scriptedtest"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

func TestParkedKeysAreShownByName(t *testing.T) {
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(t, err)
	var ps providers
	require.NoError(t, ps.measure(tel.Meter.Meter(meterName)))
	require.Empty(t, ps.suspendedKeys(), "before there is a policy")

	u := scriptedtest.New(t, scripted.OpenAI)
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
