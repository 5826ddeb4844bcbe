package vendors

import (
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

type gptBox struct {
	*emulate.Server
	openai.Client
	t *testing.T
}

// eachGPT runs a test against OpenAI and both kinds of Azure endpoints.
func eachGPT(t *testing.T, test func(b gptBox)) {
	once := option.WithMaxRetries(0)
	t.Run("openai", func(t *testing.T) {
		s := emulate.OpenAI(options)
		test(gptBox{s, openai.NewClient(option.WithBaseURL(listen(t, s)+"/v1"), option.WithAPIKey(key), once), t})
	})
	t.Run("azure", func(t *testing.T) {
		s := emulate.Azure(options)
		test(gptBox{s, openai.NewClient(option.WithBaseURL(listen(t, s)+"/openai/v1"), option.WithAPIKey(key), once), t})
	})
	t.Run("azure deployments", func(t *testing.T) {
		s := emulate.Azure(options)
		test(gptBox{s, openai.NewClient(azure.WithEndpoint(listen(t, s), "2024-10-21"), azure.WithAPIKey(key), azure.WithUnsafeAllowHTTP(), once), t})
	})
}

func (b gptBox) ask(p openai.ChatCompletionNewParams) *openai.ChatCompletion {
	b.t.Helper()
	c, err := b.Chat.Completions.New(b.t.Context(), p)
	require.NoError(b.t, err)
	return c
}

func (b gptBox) stream(p openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := b.Chat.Completions.NewStreaming(b.t.Context(), p)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		// Azure's first chunk has no id: it holds only the prompt filter results.
		if c := stream.Current(); c.ID != "" {
			require.True(b.t, all.AddChunk(c))
		}
	}
	return &all.ChatCompletion, stream.Err()
}

func gptParams(model, said string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(said)}}
}

func TestOpenAIGoChat(t *testing.T) {
	eachGPT(t, func(b gptBox) {
		whole := b.ask(gptParams("gpt-4o", "hello"))
		streamed, err := b.stream(gptParams("gpt-4o", "hello"))
		require.NoError(b.t, err)
		for _, c := range []*openai.ChatCompletion{whole, streamed} {
			require.Equal(b.t, "You said: hello", c.Choices[0].Message.Content)
			require.Equal(b.t, "stop", c.Choices[0].FinishReason)
			require.Equal(b.t, emulate.Tokens("You said: hello"), c.Usage.CompletionTokens)
			require.Equal(b.t, lastEntry(b.t, b.Server).Usage.Input, c.Usage.PromptTokens)
			require.True(b.t, strings.HasPrefix(c.Model, "gpt-4o"))
		}
	})
}

func TestOpenAIGoTools(t *testing.T) {
	eachGPT(t, func(b gptBox) {
		for _, stream := range []bool{false, true} {
			p := gptParams("gpt-4o", "call get_weather and get_time")
			for _, name := range []string{"get_weather", "get_time"} {
				p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: name, Parameters: weather, Strict: openai.Bool(true)}))
			}
			c, err := b.stream(p)
			if !stream {
				c, err = b.Chat.Completions.New(b.t.Context(), p)
			}
			require.NoError(b.t, err)
			m := c.Choices[0].Message
			require.Len(b.t, m.ToolCalls, 2)
			requireWeather(b.t, m.ToolCalls[1].Function.Arguments)
			p.Messages = append(p.Messages, m.ToParam(), openai.ToolMessage("rain", m.ToolCalls[0].ID), openai.ToolMessage("noon", m.ToolCalls[1].ID))
			require.Equal(b.t, "The tools answered: rain and noon", b.ask(p).Choices[0].Message.Content)
		}
	})
}

func TestOpenAIGoReasoningFormatsAndImages(t *testing.T) {
	eachGPT(t, func(b gptBox) {
		p := gptParams("gpt-5", "hello")
		p.ReasoningEffort = shared.ReasoningEffortHigh
		require.Positive(b.t, b.ask(p).Usage.CompletionTokensDetails.ReasoningTokens)
		p.MaxTokens = openai.Int(10)
		_, err := b.Chat.Completions.New(b.t.Context(), p)
		var e *openai.Error
		require.ErrorAs(b.t, err, &e)
		require.Equal(b.t, "max_tokens", e.Param)

		p = gptParams("gpt-4o", "the weather")
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "weather", Schema: weather, Strict: openai.Bool(true)},
		}
		requireWeather(b.t, b.ask(p).Choices[0].Message.Content)

		p = gptParams("gpt-4o", "")
		p.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("look"), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + pixel}),
		})}
		require.Contains(b.t, b.ask(p).Choices[0].Message.Content, "1 attachments")

		p.MaxTokens = openai.Int(2)
		require.Equal(b.t, "length", b.ask(p).Choices[0].FinishReason)
	})
}

func TestOpenAIGoEmbeddings(t *testing.T) {
	eachGPT(t, func(b gptBox) {
		e, err := b.Embeddings.New(b.t.Context(), openai.EmbeddingNewParams{
			Model: "text-embedding-3-small", Dimensions: openai.Int(64), Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
		})
		require.NoError(b.t, err)
		require.Len(b.t, e.Data, 2)
		require.Len(b.t, e.Data[1].Embedding, 64)
		require.EqualValues(b.t, 2, e.Usage.PromptTokens)
	})
}

func TestOpenAIGoErrors(t *testing.T) {
	eachGPT(t, func(b gptBox) {
		for name, status := range map[string]int{"401": 401, "403": 403, "404": 404, "429": 429, "quota": 429, "500": 500, "503": 503, "context": 400, "filter": 400} {
			_, err := b.Chat.Completions.New(b.t.Context(), gptParams("gpt-4o", "[[emulate:"+name+"]]"))
			var e *openai.Error
			require.ErrorAs(b.t, err, &e)
			require.Equal(b.t, status, e.StatusCode)
			require.NotEmpty(b.t, e.Message)
		}
		_, err := b.stream(gptParams("gpt-4o", "[[emulate:error=2]]"))
		require.ErrorContains(b.t, err, "try again later")
	})
}

func TestOpenAIGoModels(t *testing.T) {
	s := emulate.OpenAI(options)
	c := openai.NewClient(option.WithBaseURL(listen(t, s)+"/v1"), option.WithAPIKey(key))
	page, err := c.Models.List(t.Context())
	require.NoError(t, err)
	m, err := c.Models.Get(t.Context(), page.Data[0].ID)
	require.NoError(t, err)
	require.Equal(t, page.Data[0].ID, m.ID)
}
