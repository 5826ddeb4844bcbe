package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const geminiHi = `{"contents":[{"parts":[{"text":"hi"}]}]}`

// Some clients escape the colon before the method.
func TestTheColonOfAMethodMayBeEscaped(t *testing.T) {
	v := newVendors(t, "opus")
	for _, path := range []string{
		"/proxy/v1beta/models/flash%3AgenerateContent", "/proxy/v1beta/models/flash%3agenerateContent", "/proxy/v1/models/flash%3AgenerateContent",
		"/proxy/v1beta/models/a%3Ab%2Fc%3AgenerateContent", "/proxy/v1beta/models/a%3Ab%2Fc:generateContent",
	} {
		res, body := v.send(t, http.MethodPost, path, geminiHi, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, "%s: %s", path, body)
	}
	res, body := v.send(t, http.MethodGet, "/proxy/v1beta/models/a%3Ab%2Fc", "", testKey)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
}

// Clients of other protocols always send an effort. A model without one still serves them.
func TestATranslatedEffortIsDroppedIfTheModelHasNone(t *testing.T) {
	v := newVendors(t, "gpt")
	v.rig = newRigOf(t, strings.Replace(v.document, "{provider: open, model: up}", "{provider: open, model: up, wire: {refuse: [reasoning_effort]}}", 1))
	for path, body := range map[string]string{
		"/proxy/v1/messages":                       messagesBody("gpt", `,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`),
		"/proxy/v1beta/models/gpt:generateContent": `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}}`,
	} {
		res, text := v.send(t, http.MethodPost, path, body, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
		require.Contains(t, res.Header.Get("X-Signalbox-Dropped-Params"), "reasoning_effort")
		require.NotContains(t, string(v.open.Last().Body), "reasoning_effort")
	}
	res, _ := v.send(t, http.MethodPost, "/proxy/v1/chat/completions", messagesBody("gpt", `,"reasoning_effort":"high"`), testKey)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, "a client that names the field gets an error")
}

// Google's first events count only the prompt.
func TestTheOutputOfABrokenGeminiStreamIsEstimated(t *testing.T) {
	v := newVendors(t, "flash")
	first := `{"candidates":[{"content":{"parts":[{"text":"Hello there, this is the start."}]}}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`
	for _, path := range []string{"/proxy/v1/chat/completions", "/proxy/v1/messages"} {
		v.google.Script(scripted.Stream("data: " + first + "\n\n"))
		_, body := v.send(t, http.MethodPost, path, messagesBody("flash", `,"stream":true`), testKey)
		r := v.records[len(v.records)-1]
		require.Equal(t, ledger.Interrupted, r.Outcome, body)
		require.True(t, r.Estimated)
		require.EqualValues(t, 9, r.Usage.Input)
		require.Positive(t, r.Usage.Output)
	}
}
