package conversationtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

// answer is what is looked at of one.
type answer struct {
	Object  string
	Choices []struct {
		Message json.RawMessage
		Finish  string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
	}
}

type message struct {
	Role    string
	Content *string
	Calls   []struct {
		ID       string
		Type     string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// said is the first message.
func (a answer) said(t *testing.T) (m message) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Choices[0].Message, &m))
	return m
}

// check is what holds for every exchange.
func (s Subject) check(t *testing.T, c conversation, x *exchange) {
	t.Helper()
	s.checkFields(t, x)
	x.checkFrames(t)
	if x.err != nil {
		c.checkFailure(t, x)
		return
	}
	require.NotContains(t, failures, c.name)
	if x.request.Stream {
		require.NotContains(t, broken, c.name)
	}
	s.checkUsage(t, c, x)
	if x.embeds {
		return
	}
	var a answer
	require.NoError(t, json.Unmarshal(x.answer, &a), "%s", x.answer)
	require.Equal(t, "chat.completion", a.Object)
	require.Len(t, a.Choices, x.request.Choices)
	for _, one := range a.Choices {
		require.Contains(t, []string{"stop", "length", "tool_calls", "content_filter"}, one.Finish)
		checkMessage(t, one.Message, one.Finish)
	}
	require.Equal(t, a.Usage.Prompt+a.Usage.Completion, a.Usage.Total)
}

func checkMessage(t *testing.T, raw json.RawMessage, finish string) {
	t.Helper()
	var m message
	require.NoError(t, json.Unmarshal(raw, &m))
	require.Equal(t, "assistant", m.Role)
	require.Equal(t, len(m.Calls) > 0, finish == "tool_calls")
	ids := map[string]bool{}
	for _, call := range m.Calls {
		require.NotEmpty(t, call.ID)
		require.False(t, ids[call.ID], "two calls have the id %s", call.ID)
		ids[call.ID] = true
		require.Equal(t, "function", call.Type)
		require.NotEmpty(t, call.Function.Name)
		var arguments map[string]any
		require.NoError(t, json.Unmarshal([]byte(call.Function.Arguments), &arguments), call.Function.Arguments)
	}
}

// checkFrames is what a client's parser needs of a stream.
func (x *exchange) checkFrames(t *testing.T) {
	t.Helper()
	if x.frames == nil {
		return
	}
	frames := strings.Split(string(x.frames), "\n\n")
	require.Empty(t, frames[len(frames)-1], "the last frame is whole")
	frames = frames[:len(frames)-1]
	if x.err == nil {
		require.Equal(t, "data: [DONE]", frames[len(frames)-1])
		frames = frames[:len(frames)-1]
	}
	for _, f := range frames {
		data, ok := strings.CutPrefix(f, "data: ")
		require.True(t, ok && json.Valid([]byte(data)), f)
		require.Contains(t, f, `"object":"chat.completion.chunk"`)
	}
}

// checkUsage holds our buckets against the vendor's book.
func (s Subject) checkUsage(t *testing.T, c conversation, x *exchange) {
	t.Helper()
	if c.has("usageless") || x.embeds && s.Uncounted {
		require.Nil(t, x.usage)
		return
	}
	var want catalog.Usage
	for _, e := range x.book {
		want.Input += e.Usage.Input
		want.CacheRead += e.Usage.CacheRead
		want.CacheWrite += e.Usage.CacheWrite
		want.CacheWrite1h += e.Usage.CacheWrite1h
		want.Output += e.Usage.Output
		want.Reasoning += e.Usage.Reasoning
	}
	require.NotNil(t, x.usage)
	require.Equal(t, want, *x.usage)
	require.Zero(t, x.difference, "the vendor's total is the sum of our buckets")
}

// failures are the codes of conversations that fail, wherever they are had.
var failures = map[string][]apperr.Code{
	"billing":              {apperr.ProviderQuotaExhausted},
	"client-leaves":        {apperr.ClientCancelled},
	"client-leaves-midway": {apperr.ClientCancelled},
	"compressed":           {apperr.ProviderInvalidResponse},
	"error-400":            {apperr.ProviderBadRequest},
	"error-401":            {apperr.ProviderAuth},
	"error-403":            {apperr.ProviderAuth, apperr.ProviderModelUnavailable},
	"error-404":            {apperr.ProviderModelUnavailable},
	"error-413":            {apperr.RequestTooLarge},
	"error-429":            {apperr.ProviderRateLimited},
	"error-500":            {apperr.ProviderUpstream},
	"error-context":        {apperr.ContextLengthExceeded},
	"error-cut":            {apperr.ProviderConnection},
	"error-empty":          {apperr.ProviderInvalidResponse},
	"error-garbage":        {apperr.ProviderInvalidResponse},
	"error-overloaded":     {apperr.ProviderOverloaded},
	"error-page":           {apperr.ProviderUpstream},
	"error-parameter":      {apperr.ProviderBadRequest},
	"error-quota":          {apperr.ProviderQuotaExhausted},
}

// broken are those of streams that begin well, or not at all.
var broken = map[string]apperr.Code{
	"stream-cut-midway":   apperr.ProviderConnection,
	"stream-fails-first":  apperr.ProviderOverloaded,
	"stream-fails-midway": apperr.ProviderOverloaded,
}

// checkFailure wants the class that the conversation is about; else a refusal
// that names what it refuses.
func (c conversation) checkFailure(t *testing.T, x *exchange) {
	t.Helper()
	code := apperr.CodeOf(x.err)
	if want, ok := failures[c.name]; ok {
		require.Contains(t, want, code, "%v", x.err)
	}
	if want, ok := broken[c.name]; ok {
		require.Equal(t, want, code, "%v", x.err)
	}
	if code == apperr.ProviderRateLimited {
		require.Positive(t, apperr.From(x.err).RetryAfter)
	}
	if code == apperr.UnsupportedParameter {
		require.NotEmpty(t, apperr.From(x.err).Details["param"])
		require.Empty(t, x.sent, "it is refused before the call")
	}
}

// requireSame wants a stream to say what the plain answer does.
func requireSame(t *testing.T, plain, streamed *exchange) {
	t.Helper()
	require.Equal(t, apperr.CodeOf(plain.err), apperr.CodeOf(streamed.err))
	require.Equal(t, slices.Sorted(slices.Values(plain.dropped)), slices.Sorted(slices.Values(streamed.dropped)))
	if plain.err == nil {
		require.JSONEq(t, string(plain.answer), string(streamed.answer))
	}
}
