package openaicompat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

func TestConfiguredPathsAndAuthHeader(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{
		BaseURL: u.URL + "/openai/", Keys: keys(t, "azure-key"),
		Wire: &catalog.Wire{HTTP: &catalog.WireHTTP{
			AuthHeader: "api-key", ChatPath: "/deployments/{model}/chat/completions", EmbeddingsPath: "/embed",
			Query: map[string]string{"api-version": "2024-10-21"},
		}},
	})
	_, err := p.CompleteChat(t.Context(), providertest.ChatCall(t, "my gpt/4", "hello", false))
	require.NoError(t, err)
	_, err = p.Embed(t.Context(), providertest.EmbedCall(t, "embed", `"x"`))
	require.NoError(t, err)
	got := u.Received()
	require.Equal(t, "/openai/deployments/my gpt/4/chat/completions", got[0].Path)
	require.Equal(t, "/openai/embed", got[1].Path)
	require.Equal(t, "api-version=2024-10-21", got[0].Query)
	require.Equal(t, "azure-key", got[0].Header.Get("Api-Key"))
	require.NotContains(t, got[0].Header, "Authorization")
}

func TestDroppedAndRejectedFields(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	call := providertest.ChatCall(t, "m", "hello", false)
	var err error
	call.Request, err = requestbody.ParseChat([]byte(`{"model":"auto","store":true,"messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(t, err)
	call.Wire = &catalog.Wire{Drop: []string{"store"}}
	response, err := p.CompleteChat(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, []string{"store"}, response.DroppedFields)
	require.Equal(t, `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, string(u.Received()[0].Body))

	call.Wire = &catalog.Wire{Reject: []string{"store"}}
	_, err = p.CompleteChat(t.Context(), call)
	require.True(t, apperr.Is(err, apperr.UnsupportedParameter), "%v", err)
	require.Len(t, u.Received(), 1, "it is rejected before the call")
}

func TestEmbeddingsInBatches(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL})
	call := providertest.EmbedCall(t, "m", `["a","b","c"]`)
	call.Wire = &catalog.Wire{MaxInputs: 2}
	u.Script(
		scripted.Text(200, "application/json", `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[2]}],"usage":{"prompt_tokens":2,"total_tokens":2}}`),
		scripted.Text(200, "application/json", `{"data":[{"index":0,"embedding":[3]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`),
	)
	response, err := p.Embed(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, 2, response.UpstreamCalls)
	a, err := normalize.Embeddings(response.Body, call.Request, "m")
	require.NoError(t, err)
	require.Contains(t, string(a.Body), `"index":2,"embedding":[3]`)
	require.Equal(t, &catalog.Usage{Input: 3}, a.Usage)
	require.Contains(t, string(u.Received()[1].Body), `["c"]`)

	call.Wire = &catalog.Wire{MaxInputs: 3}
	_, err = p.Embed(t.Context(), call)
	require.NoError(t, err)
	require.Len(t, u.Received(), 3)
}
