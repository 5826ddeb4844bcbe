package vendors

import (
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// eachResponsesAPI runs a test against OpenAI and Azure.
func eachResponsesAPI(t *testing.T, test func(t *testing.T, client openai.Client)) {
	once := option.WithMaxRetries(0)
	t.Run("openai", func(t *testing.T) {
		test(t, openai.NewClient(option.WithBaseURL(listen(t, emulate.OpenAI(options))+"/v1"), option.WithAPIKey(key), once))
	})
	t.Run("azure", func(t *testing.T) {
		test(t, openai.NewClient(option.WithBaseURL(listen(t, emulate.Azure(options))+"/openai/v1"), option.WithAPIKey(key), once))
	})
}

func responseParams(said string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "gpt-5.3-codex", Store: openai.Bool(false), Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(said, responses.EasyInputMessageRoleUser),
		}},
	}
}

func TestOpenAIGoResponses(t *testing.T) {
	eachResponsesAPI(t, func(t *testing.T, client openai.Client) {
		p := responseParams("Hello")
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortHigh, Summary: shared.ReasoningSummaryAuto}
		got, err := client.Responses.New(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, "You said: Hello", got.OutputText())
		require.Equal(t, "reasoning", got.Output[0].Type)
		require.Positive(t, got.Usage.OutputTokensDetails.ReasoningTokens)

		stream := client.Responses.NewStreaming(t.Context(), p)
		var text string
		var last responses.ResponseStreamEventUnion
		for n := int64(0); stream.Next(); n++ {
			last = stream.Current()
			require.Equal(t, n, last.SequenceNumber)
			if last.Type == "response.output_text.delta" {
				text += last.Delta
			}
		}
		require.NoError(t, stream.Err())
		require.Equal(t, "response.completed", last.Type)
		require.Equal(t, "You said: Hello", text)
		require.Equal(t, got.Usage.TotalTokens, last.Response.Usage.TotalTokens)
	})
}

// Reasoning and tool calls come back in the next turn.
func TestOpenAIGoResponsesTools(t *testing.T) {
	eachResponsesAPI(t, func(t *testing.T, client openai.Client) {
		p := responseParams("call get_weather")
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortLow}
		p.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}}, "required": []string{"city"}, "additionalProperties": false,
		}, true)}
		got, err := client.Responses.New(t.Context(), p)
		require.NoError(t, err)
		require.Len(t, got.Output, 2)
		thought, call := got.Output[0].AsReasoning(), got.Output[1].AsFunctionCall()
		require.Equal(t, "get_weather", call.Name)

		item := responses.ResponseReasoningItemParam{ID: thought.ID, EncryptedContent: openai.String(thought.EncryptedContent), Summary: []responses.ResponseReasoningItemSummaryParam{}}
		output := responses.ResponseInputItemParamOfFunctionCallOutput("rain")
		output.OfFunctionCallOutput.CallID = openai.String(call.CallID)
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responses.ResponseInputItemUnionParam{OfReasoning: &item},
			responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name), output)
		got, err = client.Responses.New(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, "The tools answered: rain", got.OutputText())

		item.EncryptedContent = openai.String("changed")
		_, err = client.Responses.New(t.Context(), p)
		require.Equal(t, "invalid_encrypted_content", apiError(t, err).Code)
	})
}

func TestOpenAIGoResponsesErrors(t *testing.T) {
	eachResponsesAPI(t, func(t *testing.T, client openai.Client) {
		_, err := client.Responses.New(t.Context(), responseParams("[[emulate:429]] x"))
		require.Equal(t, 429, apiError(t, err).StatusCode)
		p := responseParams("x")
		p.MaxOutputTokens = openai.Int(5)
		_, err = client.Responses.New(t.Context(), p)
		require.Equal(t, "max_output_tokens", apiError(t, err).Param)
		_, err = client.Chat.Completions.New(t.Context(), gptParams("gpt-5.3-codex", "x"))
		require.Equal(t, 404, apiError(t, err).StatusCode, "the model exists only in the Responses API")

		stream := client.Responses.NewStreaming(t.Context(), responseParams("[[emulate:error=4]] x"))
		var last responses.ResponseStreamEventUnion
		for stream.Next() {
			last = stream.Current()
		}
		require.Equal(t, "error", last.Type)
	})
}

func apiError(t *testing.T, err error) *openai.Error {
	t.Helper()
	var failed *openai.Error
	require.True(t, errors.As(err, &failed), "%v", err)
	return failed
}
