package dispatch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
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

// keyedJob returns a job for the small model of a policy, and its providers.
func keyedJob(t *testing.T, body, document string) (dispatch.Job, *registry.Set) {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	set, err := registry.Build(p, registry.Deps{ResolveSecret: func(ref string) (config.Secret, error) { return config.Secret(ref), nil }}, nil)
	require.NoError(t, err)
	req, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return dispatch.Job{
		ID: "id", StartedAt: time.Now(), Request: req, Plan: []decide.Candidate{small},
		Policy: p, Providers: set, Breakers: breaker.NewSet(),
	}, set
}

// An error about the key inside a response reaches the provider's key pool.
func TestAKeyErrorInsideAResponse(t *testing.T) {
	const refusal = `{"type":"error","error":{"code":401,"type":"authentication_error","message":"no"}}`
	for _, kind := range []string{"openai", "anthropic", "gemini"} {
		for form, give := range map[string]scripted.Response{
			plainBody:  scripted.JSON(200, refusal),
			streamBody: scripted.Stream("event: error\ndata: " + refusal + "\n\n"),
		} {
			u := scriptedtest.New(t, scriptedtest.OpenAI)
			u.Script(give)
			j, set := keyedJob(t, form, fmt.Sprintf(keyed, kind, u.URL))
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Error(t, res.Err)
			res.Release()
			require.True(t, set.Keys()[0].Suspended, "%s: %s", kind, form)
			require.False(t, set.Keys()[1].Suspended)
		}
	}
}

// Every key is an attempt of its own. A rejected key says nothing about the provider's health.
func TestAnotherKeyIsAnAttempt(t *testing.T) {
	refused, busy := scripted.JSON(401, `{}`), scripted.JSON(429, `{}`).WithHeader("Retry-After", "60")
	const auth, limit = "small PROVIDER_AUTH_ERROR", "small PROVIDER_RATE_LIMITED"
	for name, tt := range map[string]struct {
		retries string
		give    []scripted.Response
		want    []string
	}{
		"rejected":           {"{max: 2}", []scripted.Response{refused}, []string{auth, "small"}},
		"rate-limited":       {"{max: 2}", []scripted.Response{busy}, []string{limit, "small"}},
		"not in the list":    {"{max: 2, on: [timeout]}", []scripted.Response{refused}, []string{auth, "small"}},
		"both, then another": {"{max: 2}", []scripted.Response{refused, busy}, []string{auth, limit, "large"}},
		"one retry":          {"{max: 1}", []scripted.Response{refused}, []string{auth, "large"}},
		"no retry":           {"{max: 0}", []scripted.Response{refused}, []string{auth}},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := scriptedtest.New(t, scriptedtest.OpenAI), scriptedtest.New(t, scriptedtest.OpenAI)
			one.Script(tt.give...)
			text := strings.Replace(fmt.Sprintf(keyed, "openai", one.URL), "models:", "  two: {kind: openai, base_url: "+two.URL+", allow_private: true}\nmodels:", 1)
			j, _ := keyedJob(t, plainBody, text+"  large: {endpoints: [{provider: two, model: up-l}], context: 8192}\ndefaults: {retries: "+tt.retries+"}\n")
			j.Plan = []decide.Candidate{small, large}
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Equal(t, tt.want, codes(res.Attempts))
			require.Equal(t, len(tt.want) > 1, res.Err == nil)
			require.True(t, res.Attempts[0].Inconclusive)
			require.Nil(t, res.Attempts[0].Usage, "a rejected call costs nothing")
			require.Equal(t, len(tt.give) < 2, j.Breakers.IsAvailable(small), "only the last key's rate limit counts")
		})
	}
}

// Rejected thought signatures are omitted in a second attempt, although the failure is the
// request's own.
func TestACallWithoutSignaturesIsAnAttempt(t *testing.T) {
	const conversation = `{"model":"auto","messages":[{"role":"user","content":"x"},` +
		`{"role":"assistant","tool_calls":[{"id":"a__thought__AQID","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"a__thought__AQID","content":"1"}]}`
	const refusal = `{"error":{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}}`
	const whole = `{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}`
	const rejected = "small PROVIDER_BAD_REQUEST"
	for name, tt := range map[string]struct {
		give []scripted.Response
		want []string
	}{
		"accepted":              {[]scripted.Response{scripted.JSON(400, refusal), scripted.JSON(200, whole)}, []string{rejected, "small"}},
		"rejected again":        {[]scripted.Response{scripted.JSON(400, refusal), scripted.JSON(400, refusal)}, []string{rejected, rejected}},
		"another key as well":   {[]scripted.Response{scripted.JSON(400, refusal), scripted.JSON(401, `{}`), scripted.JSON(200, whole)}, []string{rejected, "small PROVIDER_AUTH_ERROR", "small"}},
		"other faults move on":  {[]scripted.Response{scripted.JSON(400, refusal), scripted.JSON(500, `{}`), scripted.JSON(200, whole)}, []string{rejected, "small PROVIDER_UPSTREAM_ERROR", "small"}},
		"an ordinary rejection": {[]scripted.Response{scripted.JSON(400, `{}`)}, []string{rejected}},
	} {
		t.Run(name, func(t *testing.T) {
			u := scriptedtest.New(t, scriptedtest.OpenAI)
			u.Script(tt.give...)
			j, _ := keyedJob(t, conversation, fmt.Sprintf(keyed, "gemini", u.URL))
			res := dispatch.Run(t.Context(), j, &sink{})
			require.Equal(t, tt.want, codes(res.Attempts))
			for i, r := range u.Received() {
				require.Equal(t, i == 0, strings.Contains(string(r.Body), `"thoughtSignature":"AQID"`), i)
			}
			require.True(t, j.Breakers.IsAvailable(small))
		})
	}
}
