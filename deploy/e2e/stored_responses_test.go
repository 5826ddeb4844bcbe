package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// storePolicy has a provider that stores responses, with two credentials, and a fallback.
const storePolicy = `version: 1
providers:
  store:
    kind: openai
    base_url: %[1]s/v1
    allow_private: true
    keys: [{ref: "file:%[2]s/one"}, {ref: "file:%[2]s/two"}]
    wire: {http: {responses_path: /responses}}
  other:
    kind: openai
    base_url: %[1]s/v1
    allow_private: true
    keys: [{ref: "file:%[2]s/one"}]
    wire: {http: {responses_path: /responses}}
models:
  stored: {endpoints: [{provider: store, model: gpt-5}, {provider: other, model: gpt-5}], context: 32000}
defaults: {baseline: stored}
routes: {auto: {select: [{candidates: [stored]}]}}
`

// OpenAI's library continues, reads and deletes stored responses, also after the gateway was
// killed. Another account does not find them.
func TestOpenAIGoUsesStoredResponses(t *testing.T) {
	t.Parallel()
	vendor := emulate.ResponseStore(emulate.Options{Keys: []string{"a-key-of-some-length", "another-key-of-length"}})
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one"), []byte("a-key-of-some-length\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "two"), []byte("another-key-of-length\n"), 0o600))
	file := filepath.Join(dir, "signalbox.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, storePolicy, server.URL, dir), 0o600))
	box := Start(t, "--config", file)
	stranger := box.register("stranger").makeKey(map[string]any{})

	first := ask(t, goClient(box), "one", "")
	second := ask(t, goClient(box), "two", first.ID)
	require.Equal(t, "You said: one and two", second.OutputText())
	require.Equal(t, first.ID, second.PreviousResponseID)
	box.Kill()
	box = box.Restart("--config", file)
	client := goClient(box)
	require.Equal(t, "You said: one and two and three", ask(t, client, "three", second.ID).OutputText())
	require.Equal(t, "You said: one and two and four", askStreamed(t, client, "four", second.ID))

	read, err := client.Responses.Get(t.Context(), second.ID, responses.ResponseGetParams{})
	require.NoError(t, err)
	require.Equal(t, second.ID, read.ID)
	require.Equal(t, first.ID, read.PreviousResponseID)
	require.Equal(t, "You said: one and two", read.OutputText())
	items, err := client.Responses.InputItems.List(t.Context(), second.ID, responses.InputItemListParams{})
	require.NoError(t, err)
	require.Len(t, items.Data, 2)

	foreign := openai.NewClient(option.WithBaseURL(box.Base+"/proxy/v1"), option.WithAPIKey(stranger.Key), option.WithMaxRetries(0))
	_, err = foreign.Responses.Get(t.Context(), second.ID, responses.ResponseGetParams{})
	requireNotFound(t, err)
	_, err = foreign.Responses.New(t.Context(), continuing("x", second.ID))
	requireNotFound(t, err)
	requireNotFound(t, foreign.Responses.Delete(t.Context(), second.ID))

	require.NoError(t, client.Responses.Delete(t.Context(), second.ID))
	_, err = client.Responses.Get(t.Context(), second.ID, responses.ResponseGetParams{})
	requireNotFound(t, err)
	_, err = client.Responses.New(t.Context(), continuing("x", second.ID))
	requireNotFound(t, err)
}

func continuing(input, previous string) responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: "auto", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(input)}}
	if previous != "" {
		p.PreviousResponseID = openai.String(previous)
	}
	return p
}

func ask(t *testing.T, client openai.Client, input, previous string) *responses.Response {
	t.Helper()
	r, err := client.Responses.New(t.Context(), continuing(input, previous))
	require.NoError(t, err)
	return r
}

func askStreamed(t *testing.T, client openai.Client, input, previous string) string {
	t.Helper()
	stream := client.Responses.NewStreaming(t.Context(), continuing(input, previous))
	var last responses.Response
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.completed" {
			last = e.Response
		}
	}
	require.NoError(t, stream.Err())
	read, err := client.Responses.Get(t.Context(), last.ID, responses.ResponseGetParams{})
	require.NoError(t, err)
	require.Equal(t, previous, read.PreviousResponseID)
	return last.OutputText()
}

func requireNotFound(t *testing.T, err error) {
	t.Helper()
	var e *openai.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, http.StatusNotFound, e.StatusCode)
	require.Equal(t, "OBJECT_NOT_FOUND", e.Code)
}
