package dispatch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/scripted/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

const keyed = `version: 1
providers:
  one: {kind: %s, base_url: %s, allow_private: true, keys: [{ref: "env:A"}, {ref: "env:B"}]}
models:
  small: {endpoints: [{provider: one, model: up-s}], context: 8192}
`

// An error about the key inside a response reaches the provider's key pool.
func TestAKeyErrorInsideAResponse(t *testing.T) {
	const refusal = `{"type":"error","error":{"code":401,"type":"authentication_error","message":"no"}}`
	cat, err := catalog.Load()
	require.NoError(t, err)
	for _, kind := range []string{"openai", "anthropic", "gemini"} {
		for form, give := range map[string]scripted.Response{
			plainBody:  scripted.JSON(200, refusal),
			streamBody: scripted.Stream("event: error\ndata: " + refusal + "\n\n"),
		} {
			u := scriptedtest.New(t, scripted.OpenAI)
			u.Script(give)
			p, err := policy.Compile(fmt.Appendf(nil, keyed, kind, u.URL), cat)
			require.NoError(t, err)
			set, err := registry.Build(p, registry.Deps{ResolveSecret: func(ref string) (config.Secret, error) { return config.Secret(ref), nil }}, nil)
			require.NoError(t, err)
			req, err := requestbody.ParseChat([]byte(form))
			require.NoError(t, err)
			res := dispatch.Run(t.Context(), dispatch.Job{
				ID: "id", StartedAt: time.Now(), Request: req, Plan: []decide.Candidate{small},
				Policy: p, Providers: set, Breakers: breaker.NewSet(),
			}, &sink{})
			require.Error(t, res.Err)
			res.Release()
			require.True(t, set.Keys()[0].Suspended, "%s: %s", kind, form)
			require.False(t, set.Keys()[1].Suspended)
		}
	}
}
