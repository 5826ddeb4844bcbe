package messages_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/anthropic"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// vendorEvents is a response of Anthropic with thinking and two tool calls.
var vendorEvents = []string{
	`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":9,"cache_read_input_tokens":100,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I should \"look\"."}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAg=="}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look first."}}`,
	`{"type":"content_block_stop","index":1}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"cat a.go\"}"}}`,
	`{"type":"content_block_stop","index":2}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"Bash","input":{}}}`,
	`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}}`,
	`{"type":"content_block_stop","index":3}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}`,
	`{"type":"message_stop"}`,
}

func serveVendor(scriptedtest.Received) scripted.Response {
	pieces := make([]string, len(vendorEvents))
	for i, event := range vendorEvents {
		pieces[i] = "event: " + jsonscan.DecodeText(jsonscan.Member([]byte(event), "type")) + "\ndata: " + event + "\n\n"
	}
	return scripted.Stream(pieces...)
}

func newProvider(t *testing.T, base string) *anthropic.Provider {
	t.Helper()
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	keys, err := keypool.New(keypool.Key{Name: "env:KEY", Secret: "sk-ant-x"})
	require.NoError(t, err)
	p, err := anthropic.New(anthropic.Config{Name: "acme", BaseURL: base, Keys: keys, Transport: transport, Version: "1"})
	require.NoError(t, err)
	return p
}

// serveTurn serves a Messages request through the adapter of a provider. It returns the
// events that the client gets.
func serveTurn(t *testing.T, p *anthropic.Provider, body []byte) []byte {
	t.Helper()
	translation, err := translate(t, body)
	require.NoError(t, err)
	chat, err := requestbody.ParseChat(translation.Body)
	require.NoError(t, err)
	response, err := p.CompleteChat(t.Context(), provider.Call{
		Request: chat, UpstreamModel: "claude", Wire: &catalog.Wire{Reasoning: catalog.AdaptiveThinking, AllowsLaterSystem: true},
	})
	require.NoError(t, err)
	require.Empty(t, response.DroppedFields, "the adapter can send everything that is in the chat")
	defer func() { _ = response.Events.Close() }()
	chunks := normalize.NewStream(normalize.StreamOptions{ID: "x", Model: "m", IncludeUsage: true, Choices: 1})
	var frames []byte
	for {
		event, err := response.Events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		frames, err = chunks.AppendEvent(frames, event)
		require.NoError(t, err)
	}
	frames, err = chunks.Finish(frames)
	require.NoError(t, err)
	stream := translation.NewStream(options)
	var out []byte
	for _, chunk := range splitFrames(frames) {
		out, err = stream.AppendChunk(out, chunk)
		require.NoError(t, err)
	}
	return stream.AppendEnd(out)
}

// splitFrames returns the JSON of the frames of a chat, without [DONE].
func splitFrames(frames []byte) (chunks [][]byte) {
	for line := range bytes.Lines(frames) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		if ok && string(data) != "[DONE]" {
			chunks = append(chunks, data)
		}
	}
	return chunks
}

// addMessages appends messages to the conversation of a request.
func addMessages(body []byte, more string) []byte {
	v := jsonscan.Member(body, "messages")
	at := bytes.Index(body, v) + len(v) - 1
	return slices.Concat(body[:at], []byte(","+more), body[at:])
}

// TestClaudeCode runs a tool loop of Claude Code over the adapter of Anthropic's own format.
// What the adapter sends is what Claude Code would have sent itself, as far as a chat can
// carry it.
func TestClaudeCode(t *testing.T) {
	forEachCase(t, "conversations", func(t *testing.T, first []byte) string {
		upstream := scriptedtest.New(t, serveVendor)
		p := newProvider(t, upstream.URL)
		events := serveTurn(t, p, first)
		requireGrammar(t, events)
		content := assembleContent(t, events)
		second := addMessages(first, `{"role":"assistant","content":`+content+`},{"role":"user","content":[`+
			`{"tool_use_id":"toolu_1","type":"tool_result","content":"func f() {}","is_error":false},`+
			`{"tool_use_id":"toolu_2","type":"tool_result","content":[{"type":"text","text":"a.go"}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}`)
		serveTurn(t, p, second)
		sent := upstream.Received()
		one, two := jsonscan.Member(sent[0].Body, "messages"), jsonscan.Member(sent[1].Body, "messages")
		require.Equal(t, string(one[:len(one)-1]), string(two[:len(one)-1]), "the second turn starts with the bytes of the first")
		require.Contains(t, string(two), `{"type":"thinking","thinking":"I should \"look\".","signature":"EqQBCgIYAg=="}`, "the signature survives the turn")
		chat, err := translate(t, second)
		require.NoError(t, err)
		return "dropped: " + strings.Join(chat.Dropped, ", ") + "\nturn 1\n" + indentJSON(t, sent[0].Body) + string(events) + "turn 2\n" + indentJSON(t, sent[1].Body)
	})
}

// OpenAI rejects members that it does not know. They are removed and named.
func TestStrictUpstream(t *testing.T) {
	shipped, err := catalog.Load()
	require.NoError(t, err)
	openai, ok := shipped.Provider("openai")
	require.True(t, ok)
	chat, err := translate(t, []byte(`{"model":"m","max_tokens":9,"top_k":5,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]},`+
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"sbx1.e30"},{"type":"tool_use","id":"a","name":"Bash","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no","is_error":true}]}],`+
		`"tools":[{"name":"Bash","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]}`))
	require.NoError(t, err)
	r, err := requestbody.ParseChat(chat.Body)
	require.NoError(t, err)
	pieces, dropped, err := outbound.Build(r, "gpt", openai.Wire)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"messages[].content[].cache_control", "messages[].is_error", "messages[].reasoning_content", "tools[].cache_control", "top_k"}, dropped)
	require.JSONEq(t, `{"model":"gpt","max_completion_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},`+
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Bash","arguments":"{}"}}]},`+
		`{"role":"tool","tool_call_id":"a","content":"no"}],"tools":[{"type":"function","function":{"name":"Bash","parameters":{"type":"object"}}}]}`,
		string(bytes.Join(pieces, nil)))
}

func TestCountTokensBody(t *testing.T) {
	require.JSONEq(t, `{"input_tokens":42}`, string(messages.CountTokensBody(42)))
	require.Equal(t, "event: ping\ndata: {\"type\":\"ping\"}\n\n", string(messages.Protocol{}.KeepAlive()))
}
