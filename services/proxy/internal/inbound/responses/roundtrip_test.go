package responses_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chatMessage is a message of a chat, with the extensions that carry reasoning.
type chatMessage struct {
	Role             string            `json:"role"`
	Content          *string           `json:"content"`
	ReasoningContent string            `json:"reasoning_content"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		ID           string
		Function     struct{ Name, Arguments string }
		ExtraContent json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
}

// nextTurn returns the last message of the chat if the client sends the output back.
func nextTurn(t *testing.T, request json.RawMessage, output []json.RawMessage) chatMessage {
	t.Helper()
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(request, &body))
	items, err := json.Marshal(append([]json.RawMessage{json.RawMessage(`{"role":"user","content":"hi"}`)}, output...))
	require.NoError(t, err)
	body["input"] = items
	text, err := json.Marshal(body)
	require.NoError(t, err)
	var chat struct{ Messages []chatMessage }
	require.NoError(t, json.Unmarshal(toChat(t, string(text)).Body, &chat))
	return chat.Messages[len(chat.Messages)-1]
}

// What an upstream sends comes back to it in the next turn: text, reasoning with its
// signatures, and calls under the names that the upstream knows.
func TestTheNextTurnRepeatsTheResponse(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.json")
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if name == "refusal" || name == "empty" {
			continue // they have no content that a chat message repeats as text
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var c conversation
			require.NoError(t, json.Unmarshal(text, &c))
			want := c.assemble(t)
			translation := toChat(t, string(c.Request))
			streamed := checkGrammar(t, c.streamed(t, translation))
			require.Equal(t, want, nextTurn(t, c.Request, streamed.Output))
			var plain response
			require.NoError(t, json.Unmarshal(c.complete(t, translation), &plain))
			require.Equal(t, want, nextTurn(t, c.Request, plain.Output))
		})
	}
}

// assemble returns the message that the chunks contain.
func (c *conversation) assemble(t *testing.T) chatMessage {
	t.Helper()
	m := chatMessage{Role: "assistant"}
	for _, raw := range c.Chunks {
		var chunk struct {
			Choices []struct{ Delta chatMessage }
		}
		require.NoError(t, json.Unmarshal(raw, &chunk))
		for _, choice := range chunk.Choices {
			m.add(t, choice.Delta, raw)
		}
	}
	return m
}

func (m *chatMessage) add(t *testing.T, d chatMessage, raw []byte) {
	t.Helper()
	if d.Content != nil && *d.Content != "" {
		joined := *d.Content
		if m.Content != nil {
			joined = *m.Content + joined
		}
		m.Content = &joined
	}
	m.ReasoningContent += d.ReasoningContent
	m.ReasoningDetails = append(m.ReasoningDetails, d.ReasoningDetails...)
	var calls struct {
		Choices []struct {
			Delta struct {
				ToolCalls []struct{ Index int } `json:"tool_calls"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(raw, &calls))
	for i, call := range d.ToolCalls {
		at := calls.Choices[0].Delta.ToolCalls[i].Index
		if at == len(m.ToolCalls) {
			m.ToolCalls = append(m.ToolCalls, call)
			continue
		}
		m.ToolCalls[at].Function.Arguments += call.Function.Arguments
	}
}

func TestLineBreaksOfTheRequestDoNotEndEvents(t *testing.T) {
	translation := toChat(t, "{\"model\":\"m\",\r\n\"input\":\"x\",\"stream\":true,\"tools\":[\n{\"type\":\"function\",\n\n\"name\":\"f\"}],\"metadata\":{\n}}")
	st := translation.NewStream(options)
	checkGrammar(t, string(st.AppendEnd(nil)))
}

// Upstreams may send JSON that requests must not contain. The client can still send the
// output back.
func TestReasoningThatRequestsRejectIsOmitted(t *testing.T) {
	translation := toChat(t, `{"model":"m","input":"x"}`)
	body, err := translation.FromChat([]byte(`{"choices":[{"message":{"content":"x","reasoning_details":[{"a":1,"a":2},5,{"b":"\ud800"},{"type":"reasoning.text"}]}}]}`), options)
	require.NoError(t, err)
	var got response
	require.NoError(t, json.Unmarshal(body, &got))
	next := nextTurn(t, json.RawMessage(`{"model":"m"}`), got.Output)
	require.Equal(t, []json.RawMessage{json.RawMessage(`{"type":"reasoning.text"}`)}, next.ReasoningDetails)
}

// The messages of a turn are the beginning of the messages of the next turn, byte for byte.
// Otherwise upstreams could not reuse their caches.
func TestMessagesOfEarlierTurnsStayTheSame(t *testing.T) {
	for _, file := range []string{"testdata/requests/codex-turn-2.json", "testdata/requests/interleaved-reasoning.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var body map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &body))
		var items []json.RawMessage
		require.NoError(t, json.Unmarshal(body["input"], &items))
		previous, turns := "", 0
		for i := range items {
			// A request ends with a message of the user or with the outputs of all calls.
			if !endsRequest(t, items, i) {
				continue
			}
			body["input"], err = json.Marshal(items[:i+1])
			require.NoError(t, err)
			request, err := json.Marshal(body)
			require.NoError(t, err)
			var chat struct{ Messages json.RawMessage }
			require.NoError(t, json.Unmarshal(toChat(t, string(request)).Body, &chat))
			require.True(t, strings.HasPrefix(string(chat.Messages), previous), "%s: item %d", file, i)
			previous = strings.TrimSuffix(string(chat.Messages), "]")
			turns++
		}
		require.Greater(t, turns, 2)
	}
}

func endsRequest(t *testing.T, items []json.RawMessage, at int) bool {
	t.Helper()
	kinds := make([]struct{ Type, Role string }, 2)
	require.NoError(t, json.Unmarshal(items[at], &kinds[0]))
	if at+1 < len(items) {
		require.NoError(t, json.Unmarshal(items[at+1], &kinds[1]))
	}
	isOutput := func(kind string) bool { return strings.HasSuffix(kind, "_output") }
	return kinds[0].Role == "user" || isOutput(kinds[0].Type) && !isOutput(kinds[1].Type)
}
