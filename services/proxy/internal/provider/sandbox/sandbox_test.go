package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
)

func TestContract(t *testing.T) {
	providertest.Run(t, func(*testing.T) providertest.Subject {
		p := sandbox.New()
		return providertest.Subject{ChatCompleter: p, Embedder: p, ChatModel: "sandbox-small", EmbedModel: "sandbox-embed"}
	})
}

// clientResponse is a response as a client reads it, complete or collected from
// chunks.
type clientResponse struct {
	Content string
	Finish  string
	Calls   []function
	Usage   struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
	}
	Pieces int
}

type function struct {
	ID, Name, Arguments string
}

// chunk is the union of the fields of a completion and of a chunk.
type chunk struct {
	Choices []struct {
		Message, Delta struct {
			Content   string
			ToolCalls []struct {
				Index    int
				ID       string
				Function function
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *json.RawMessage
}

func (s *clientResponse) add(t *testing.T, payload string) {
	t.Helper()
	var c chunk
	require.NoError(t, json.Unmarshal([]byte(payload), &c))
	if c.Usage != nil {
		require.NoError(t, json.Unmarshal(*c.Usage, &s.Usage))
	}
	for _, choice := range c.Choices {
		text := choice.Message.Content + choice.Delta.Content
		if text != "" {
			s.Pieces++
		}
		s.Content += text
		s.Finish += choice.FinishReason
		for _, call := range append(choice.Message.ToolCalls, choice.Delta.ToolCalls...) {
			if call.ID != "" {
				s.Calls = append(s.Calls, function{ID: call.ID})
			}
			f := &s.Calls[len(s.Calls)-1]
			f.Name += call.Function.Name
			f.Arguments += call.Function.Arguments
		}
	}
}

// newChatCall returns a chat call with extra members in its body.
func newChatCall(t *testing.T, model string, stream bool, text, extra string) provider.Call {
	t.Helper()
	if extra != "" {
		extra = "," + extra
	}
	r, err := requestbody.ParseChat(fmt.Appendf(nil,
		`{"model":"auto","stream":%t,"messages":[{"role":"user","content":%q}]%s}`, stream, text, extra))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: model}
}

// sendChat returns the response, after checking that a stream has the same content.
func sendChat(t *testing.T, model, text, extra string) (streamed clientResponse) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var whole clientResponse
		response, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, model, false, text, extra))
		require.NoError(t, err)
		whole.add(t, string(response.Body))
		response, err = sandbox.New().CompleteChat(t.Context(), newChatCall(t, model, true, text, extra))
		require.NoError(t, err)
		payloads, err := providertest.ReadAll(response.Events)
		require.NoError(t, err)
		for _, p := range payloads {
			streamed.add(t, p)
		}
		require.Equal(t, whole.comparable(), streamed.comparable())
	})
	return streamed
}

// comparable removes what differs between a stream and a complete response: the
// number of pieces, and the ids, which depend on the request.
func (s clientResponse) comparable() clientResponse {
	s.Pieces, s.Usage.Prompt, s.Usage.Total = 0, 0, 0
	s.Calls = slices.Clone(s.Calls)
	for i := range s.Calls {
		s.Calls[i].ID = ""
	}
	return s
}

func TestModelStyles(t *testing.T) {
	long := strings.Repeat("railway ", 60)
	last := 0
	for _, m := range []string{"sandbox-small", "sandbox-medium", "sandbox-large"} {
		s := sendChat(t, m, long, "")
		require.Contains(t, s.Content, "Sandbox answer of "+m)
		require.Contains(t, s.Content, "railway railway")
		require.Greater(t, len(s.Content), last)
		require.Equal(t, "stop", s.Finish)
		require.Greater(t, s.Pieces, 3)
		require.Positive(t, s.Usage.Prompt)
		require.Equal(t, s.Usage.Total, s.Usage.Prompt+s.Usage.Completion)
		last = len(s.Content)
	}
}

func TestSameRequestSameResponse(t *testing.T) {
	first, second := sendChat(t, "sandbox-small", "hi", ""), sendChat(t, "sandbox-small", "hi", "")
	require.Equal(t, first, second)
	require.NotEqual(t, first, sendChat(t, "sandbox-small", "ho", ""))
}

func TestTokenLimit(t *testing.T) {
	s := sendChat(t, "sandbox-large", "hello", `"max_tokens":9`)
	require.Equal(t, "length", s.Finish)
	require.EqualValues(t, 9, s.Usage.Completion)
	s = sendChat(t, "sandbox-large", "hello", `"max_tokens":1,"x_sandbox":{"text":"abc\u2603\u2603"}`)
	require.Equal(t, "abc", s.Content, "a character is not cut in two")
}

func TestPartsAndToolResults(t *testing.T) {
	r, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[
		{"role":"user","content":[{"type":"text","text":"what is"},{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"this"}]}]}`))
	require.NoError(t, err)
	response, err := sandbox.New().CompleteChat(t.Context(), provider.Call{Request: r, UpstreamModel: "sandbox-small"})
	require.NoError(t, err)
	require.Contains(t, string(response.Body), "what is this")

	r, err = requestbody.ParseChat([]byte(`{"model":"auto","tools":[{"type":"function","function":{"name":"get_time"}}],"messages":[
		{"role":"user","content":"get_time please"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"get_time","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c","content":"get_time says noon"}]}`))
	require.NoError(t, err)
	response, err = sandbox.New().CompleteChat(t.Context(), provider.Call{Request: r, UpstreamModel: "sandbox-small"})
	require.NoError(t, err)
	require.Contains(t, string(response.Body), `the tool answered \"get_time says noon\"`)
}

func TestUnknownModel(t *testing.T) {
	for _, m := range []string{"gpt", "sandbox-embed"} {
		_, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, m, false, "hi", ""))
		require.Equal(t, apperr.ProviderModelUnavailable, apperr.CodeOf(err))
	}
	_, err := sandbox.New().Embed(t.Context(), providertest.EmbedCall(t, "sandbox-small", `"x"`))
	require.Equal(t, apperr.ProviderModelUnavailable, apperr.CodeOf(err))
}

func TestModelPace(t *testing.T) {
	for m, want := range map[string]time.Duration{
		"sandbox-small": 5 * time.Millisecond, "sandbox-medium": 15 * time.Millisecond, "sandbox-large": 30 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			response, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, m, true, "hi", ""))
			require.NoError(t, err)
			_, err = response.Events.Next()
			require.NoError(t, err)
			require.Equal(t, want, time.Since(begun))
			require.NoError(t, response.Events.Close())
		})
	}
}

func TestCloseWakesAWaitingReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		response, err := sandbox.New().CompleteChat(t.Context(), newChatCall(t, "sandbox-small", true, "hi", `"x_sandbox":{"first_token_ms":60000}`))
		require.NoError(t, err)
		begun := time.Now()
		go func() { _ = response.Events.Close() }()
		_, err = response.Events.Next()
		require.Error(t, err)
		require.Zero(t, time.Since(begun))
	})
}

func TestDeadlineEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := sandbox.New().CompleteChat(ctx, newChatCall(t, "sandbox-small", false, "hi", `"x_sandbox":{"delay_ms":60000}`))
		require.Equal(t, apperr.ProviderTimeout, apperr.CodeOf(err))
	})
}
