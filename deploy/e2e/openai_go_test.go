package e2e

import (
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"
)

func goClient(box *Gateway) openai.Client {
	return openai.NewClient(option.WithBaseURL(box.Base+"/proxy/v1"), option.WithAPIKey(box.Key),
		option.WithOrganization("org-of-the-client"), option.WithMaxRetries(0))
}

var hello = openai.ChatCompletionNewParams{
	Model:    "auto",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello")},
}

func TestOpenAIGoThroughALocalProvider(t *testing.T) {
	forEachDeployment(t, openAIGoThroughALocalProvider)
}

func openAIGoThroughALocalProvider(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	upstream := NewUpstream(t)
	box := start(t, upstream.WritePolicy(t)...)
	client := goClient(box)

	t.Run("chat", func(t *testing.T) {
		var raw *http.Response
		got, err := client.Chat.Completions.New(t.Context(), hello, option.WithResponseInto(&raw))
		require.NoError(t, err)
		require.Equal(t, "Hello from upstream", got.Choices[0].Message.Content)
		require.Equal(t, "small", got.Model)
		require.EqualValues(t, 11, got.Usage.PromptTokens)
		require.Equal(t, "local", raw.Header.Get("X-Signalbox-Provider"))
		// 7 uncached at $1, 4 cached at $0.50, 7 out at $2, per million.
		require.Equal(t, "0.000023", raw.Header.Get("X-Signalbox-Cost-Usd"))
	})
	t.Run("stream", func(t *testing.T) {
		params := hello
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		var acc openai.ChatCompletionAccumulator
		for stream.Next() {
			require.True(t, acc.AddChunk(stream.Current()))
		}
		require.NoError(t, stream.Err())
		require.Equal(t, "Hello from upstream", acc.Choices[0].Message.Content)
		require.Equal(t, "stop", acc.Choices[0].FinishReason)
		require.EqualValues(t, 18, acc.Usage.TotalTokens)
	})
	t.Run("embeddings", func(t *testing.T) {
		got, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model: "auto", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
		})
		require.NoError(t, err)
		require.Equal(t, []float64{1, 0.125}, got.Data[0].Embedding)
		require.Equal(t, []float64{0.5, -0.25}, got.Data[1].Embedding)
	})
	t.Run("models", func(t *testing.T) {
		got, err := client.Models.List(t.Context())
		require.NoError(t, err)
		var names []string
		for _, m := range got.Data {
			names = append(names, m.ID)
		}
		require.Subset(t, names, []string{"auto", "small", "embed"})
		one, err := client.Models.Get(t.Context(), "small")
		require.NoError(t, err)
		require.Equal(t, "small", one.ID)
	})
	t.Run("errors in the shape this client can read", func(t *testing.T) {
		_, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "nope", Messages: hello.Messages},
			option.WithHeader("X-Error-Format", "openai"))
		var e *openai.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, http.StatusNotFound, e.StatusCode)
		require.Equal(t, "MODEL_NOT_FOUND", e.Code)
	})
	for _, s := range upstream.Requests() {
		require.Equal(t, "Bearer upstream-secret-value", s.Header.Get("Authorization"))
		require.Empty(t, s.Header.Get("OpenAI-Organization"), "nothing of the client's headers reaches an upstream")
		require.Empty(t, s.Header.Get("X-Stainless-Lang"))
		require.Contains(t, []string{`"local-s"`, `"local-e"`}, string(s.Body["model"]))
	}
	require.NotContains(t, box.Output(), "upstream-secret-value")
}

func TestOpenAIGoThroughTheSandbox(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	client := goClient(box)
	params := hello
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name: "get_weather",
		Parameters: openai.FunctionParameters{"type": "object", "required": []string{"city"},
			"properties": map[string]any{"city": map[string]any{"type": "string"}}},
	})}
	params.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("required")}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		require.True(t, acc.AddChunk(stream.Current()))
	}
	require.NoError(t, stream.Err())
	require.Equal(t, "tool_calls", acc.Choices[0].FinishReason)
	call := acc.Choices[0].Message.ToolCalls[0]
	require.Equal(t, "get_weather", call.Function.Name)
	require.Contains(t, call.Function.Arguments, `"city"`)
	require.NotEmpty(t, call.ID)
}
