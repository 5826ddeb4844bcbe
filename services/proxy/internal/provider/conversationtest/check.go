package conversationtest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// completion holds the members of a chat completion that are checked.
type completion struct {
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
	Role      string
	Content   *string
	ToolCalls []struct {
		ID       string
		Type     string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (a completion) firstMessage(t *testing.T) (m message) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Choices[0].Message, &m))
	return m
}

// check verifies the invariants that every exchange must satisfy.
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
		require.NotContains(t, streamFailures, c.name)
	}
	s.checkUsage(t, c, x)
	if x.isEmbedding {
		return
	}
	var a completion
	require.NoError(t, json.Unmarshal(x.response, &a), "%s", x.response)
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
	require.Equal(t, len(m.ToolCalls) > 0, finish == "tool_calls")
	ids := map[string]bool{}
	for _, call := range m.ToolCalls {
		require.NotEmpty(t, call.ID)
		require.False(t, ids[call.ID], "two calls have the id %s", call.ID)
		ids[call.ID] = true
		require.Equal(t, "function", call.Type)
		require.NotEmpty(t, call.Function.Name)
		var arguments map[string]any
		require.NoError(t, json.Unmarshal([]byte(call.Function.Arguments), &arguments), call.Function.Arguments)
	}
}

// frameHead is the start of every event that the client gets, except [DONE].
const frameHead = `data: {"id":"` + responseID + `","object":"chat.completion.chunk","created":1,"model":"` + responseModel + `",`

// checkFrames verifies that the stream is well-formed for a client's parser.
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
		require.True(t, strings.HasPrefix(f, frameHead) && json.Valid([]byte(f[len("data: "):])), f)
	}
}

// checkUsage compares our token counts with the counts that the vendor recorded. A vendor
// that reports no final counts may still have reported the input at the start.
func (s Subject) checkUsage(t *testing.T, c conversation, x *exchange) {
	t.Helper()
	uncounted := c.hasDirective("usageless") || x.isEmbedding && s.Uncounted
	if uncounted && !x.inputOnly {
		require.Nil(t, x.usage)
		return
	}
	var want catalog.Usage
	for _, e := range x.vendorCalls {
		want.Input += e.Usage.Input
		want.CacheRead += e.Usage.CacheRead
		want.CacheWrite += e.Usage.CacheWrite
		want.CacheWrite1h += e.Usage.CacheWrite1h
		want.Output += e.Usage.Output
		want.Reasoning += e.Usage.Reasoning
	}
	if uncounted {
		want.Output, want.Reasoning = 0, 0
	}
	require.NotNil(t, x.usage)
	require.Equal(t, want, *x.usage)
	require.Zero(t, x.usageDifference, "the vendor's total equals the sum of our counts")
}

// requireSame checks that the streamed responses have the same content as the plain ones.
func requireSame(t *testing.T, plain, streamed transcript) {
	t.Helper()
	require.Len(t, streamed, len(plain), "both forms have the same number of turns")
	for i, p := range plain {
		s := streamed[i]
		require.Equal(t, p.err == nil, s.err == nil, "%v or %v", p.err, s.err)
		require.ElementsMatch(t, p.dropped, s.dropped)
		if p.err == nil {
			usage := !p.inputOnly && !s.inputOnly
			require.Equal(t, normalizeCompletion(t, p.response, usage), normalizeCompletion(t, s.response, usage))
		}
	}
}

// normalizeCompletion returns the content of a completion without empty members, and
// without the usage unless usage is set.
func normalizeCompletion(t *testing.T, body []byte, usage bool) any {
	t.Helper()
	var a struct {
		Choices []struct {
			Message map[string]any
			Finish  string `json:"finish_reason"`
		}
		Usage any
	}
	require.NoError(t, json.Unmarshal(body, &a))
	if !usage {
		a.Usage = nil
	}
	for _, c := range a.Choices {
		maps.DeleteFunc(c.Message, func(_ string, v any) bool {
			list, isList := v.([]any)
			return v == nil || v == "" || isList && len(list) == 0
		})
	}
	return a
}
