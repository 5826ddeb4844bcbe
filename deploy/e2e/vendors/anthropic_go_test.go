package vendors

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

type claudeBox struct {
	*emulate.Server
	anthropic.Client
	t *testing.T
}

func newClaude(t *testing.T) claudeBox {
	s := emulate.Anthropic(options)
	c := anthropic.NewClient(option.WithBaseURL(listen(t, s)), option.WithAPIKey(key), option.WithMaxRetries(0))
	return claudeBox{s, c, t}
}

func (b claudeBox) ask(p anthropic.MessageNewParams) *anthropic.Message {
	b.t.Helper()
	m, err := b.Messages.New(b.t.Context(), p)
	require.NoError(b.t, err)
	return m
}

// stream assembles the response with the library's own accumulator.
func (b claudeBox) stream(p anthropic.MessageNewParams) (*anthropic.Message, error) {
	b.t.Helper()
	stream := b.Messages.NewStreaming(b.t.Context(), p)
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return &m, err
		}
	}
	return &m, stream.Err()
}

func claudeParams(model, said string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: model, MaxTokens: 2048,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(said))},
	}
}

func TestAnthropicGoChat(t *testing.T) {
	b := newClaude(t)
	p := claudeParams("claude-opus-5", "hello")
	p.System = []anthropic.TextBlockParam{{Text: "be brief"}}
	whole := b.ask(p)
	streamed, err := b.stream(p)
	require.NoError(t, err)
	for _, m := range []*anthropic.Message{whole, streamed} {
		require.Equal(t, "You said: hello", m.Content[0].AsText().Text)
		require.Equal(t, anthropic.StopReasonEndTurn, m.StopReason)
		require.Equal(t, lastEntry(t, b.Server).Usage.Input, m.Usage.InputTokens)
		require.Equal(t, emulate.Tokens("You said: hello"), m.Usage.OutputTokens)
	}
}

func TestAnthropicGoTools(t *testing.T) {
	b := newClaude(t)
	tool := func(name string) anthropic.ToolUnionParam {
		u := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: weather["properties"], Required: []string{"city"}}, name)
		return u
	}
	for _, stream := range []bool{false, true} {
		p := claudeParams("claude-sonnet-4-5", "call get_weather and get_time, [[emulate:text]]")
		p.Tools = []anthropic.ToolUnionParam{tool("get_weather"), tool("get_time")}
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
		m, err := b.stream(p)
		if !stream {
			m, err = b.Messages.New(t.Context(), p)
		}
		require.NoError(t, err)
		require.Equal(t, anthropic.StopReasonToolUse, m.StopReason)
		require.Len(t, m.Content, 4)
		require.NotEmpty(t, m.Content[0].AsThinking().Signature)
		require.NotEmpty(t, m.Content[1].AsText().Text)
		requireWeather(t, string(m.Content[2].AsToolUse().Input))
		p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(
			anthropic.NewToolResultBlock(m.Content[2].ID, "rain", false), anthropic.NewToolResultBlock(m.Content[3].ID, "noon", false)))
		m = b.ask(p)
		require.Equal(t, "The tools answered: rain and noon", m.Content[len(m.Content)-1].Text)
	}
}

func TestAnthropicGoThinking(t *testing.T) {
	b := newClaude(t)
	p := claudeParams("claude-opus-5", "hello")
	p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}}
	p.OutputConfig.Effort = anthropic.OutputConfigEffortHigh
	m, err := b.stream(p)
	require.NoError(t, err)
	require.NotEmpty(t, m.Content[0].AsThinking().Thinking)
	require.Positive(t, m.Usage.OutputTokensDetails.ThinkingTokens)
	p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropic.NewTextBlock("go on")))
	b.ask(p)
	p.Messages[1].Content[0].OfThinking.Thinking = "something else"
	_, err = b.Messages.New(t.Context(), p)
	require.ErrorContains(t, err, "Invalid `signature` in `thinking` block")
}

func TestAnthropicGoFormatsImagesAndLimits(t *testing.T) {
	b := newClaude(t)
	p := claudeParams("claude-opus-4-5", "the weather")
	p.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: weather}
	requireWeather(t, b.ask(p).Content[0].Text)

	p = claudeParams("claude-opus-4-5", "what is this")
	p.Messages[0].Content = append(p.Messages[0].Content, anthropic.NewImageBlockBase64("image/png", pixel))
	require.Contains(t, b.ask(p).Content[0].Text, "1 attachments")

	p.MaxTokens = 2
	m := b.ask(p)
	require.Equal(t, anthropic.StopReasonMaxTokens, m.StopReason)
	require.EqualValues(t, 2, m.Usage.OutputTokens)

	p = claudeParams("claude-opus-4-5", "one END two")
	p.StopSequences = []string{"END"}
	m = b.ask(p)
	require.Equal(t, "END", m.StopSequence)
	require.Equal(t, "You said: one ", m.Content[0].Text)

	m = b.ask(claudeParams("claude-fable-5", "[[emulate:block]]"))
	require.Equal(t, anthropic.StopReasonRefusal, m.StopReason)
}

func TestAnthropicGoCache(t *testing.T) {
	b := newClaude(t)
	p := claudeParams("claude-opus-4-5", "hello")
	long := make([]byte, 8192)
	for i := range long {
		long[i] = 'a'
	}
	p.System = []anthropic.TextBlockParam{{Text: string(long), CacheControl: anthropic.CacheControlEphemeralParam{TTL: anthropic.CacheControlEphemeralTTLTTL1h}}}
	first, second := b.ask(p).Usage, b.ask(p).Usage
	require.Positive(t, first.CacheCreation.Ephemeral1hInputTokens)
	require.Equal(t, first.CacheCreationInputTokens, first.CacheCreation.Ephemeral1hInputTokens)
	require.Equal(t, first.CacheCreationInputTokens, second.CacheReadInputTokens)
	require.Zero(t, second.CacheCreationInputTokens)
	require.Equal(t, first.InputTokens, second.InputTokens)
	require.Equal(t, second.CacheReadInputTokens, lastEntry(t, b.Server).Usage.CacheRead)
}

func TestAnthropicGoCountsAndModels(t *testing.T) {
	b := newClaude(t)
	p := claudeParams("claude-opus-5", "hello")
	n, err := b.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: p.Model, Messages: p.Messages})
	require.NoError(t, err)
	require.Equal(t, b.ask(p).Usage.InputTokens, n.InputTokens)
	page, err := b.Models.List(t.Context(), anthropic.ModelListParams{})
	require.NoError(t, err)
	got, err := b.Models.Get(t.Context(), page.Data[0].ID, anthropic.ModelGetParams{})
	require.NoError(t, err)
	require.Equal(t, page.Data[0].ID, got.ID)
}

func TestAnthropicGoErrors(t *testing.T) {
	b := newClaude(t)
	for name, want := range map[string]struct {
		status int
		kind   string
	}{
		"401": {401, "authentication_error"}, "402": {402, "billing_error"}, "403": {403, "permission_error"}, "404": {404, "not_found_error"},
		"429": {429, "rate_limit_error"}, "500": {500, "api_error"}, "504": {504, "timeout_error"}, "529": {529, "overloaded_error"},
		"context": {400, "invalid_request_error"},
	} {
		_, err := b.Messages.New(t.Context(), claudeParams("claude-opus-5", "[[emulate:"+name+"]]"))
		var e *anthropic.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, want.status, e.StatusCode)
		require.EqualValues(t, want.kind, e.Type())
		require.Equal(t, "req_"+lastEntry(t, b.Server).ID, e.RequestID)
	}
	_, err := b.stream(claudeParams("claude-opus-5", "[[emulate:error=4]]"))
	require.ErrorContains(t, err, "Overloaded")
	_, err = b.stream(claudeParams("claude-opus-5", "[[emulate:cut=900]]"))
	require.Error(t, err)
}

func TestAnthropicGoRetriesAsTheVendorSays(t *testing.T) {
	s := emulate.Anthropic(options)
	c := anthropic.NewClient(option.WithBaseURL(listen(t, s)), option.WithAPIKey(key), option.WithMaxRetries(1))
	s.Fail("529;after=0.01", "", "401")
	_, err := c.Messages.New(t.Context(), claudeParams("claude-opus-5", "hello"))
	require.NoError(t, err)
	_, err = c.Messages.New(t.Context(), claudeParams("claude-opus-5", "hello"))
	require.Error(t, err)
	require.Len(t, s.Calls(), 3)
}
