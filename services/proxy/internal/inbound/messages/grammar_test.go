package messages_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// grammar checks the events of a stream as a strict client would.
type grammar struct {
	started, finished, stopped bool
	// open is the type of the open block, or "". blocks counts the blocks.
	open   string
	blocks int
	// names lists the events that Anthropic does not document.
	unknown int
	// message is what a client assembles: one line per block.
	message []string
	text    string
}

var deltaKinds = map[string]string{
	"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use",
}

// requireGrammar fails the test unless the stream follows the grammar to its end.
func requireGrammar(t *testing.T, stream []byte) *grammar {
	t.Helper()
	g := &grammar{}
	for _, frame := range bytes.SplitAfter(stream, []byte("\n\n")) {
		if len(frame) > 0 {
			g.readFrame(t, frame)
		}
	}
	require.True(t, g.stopped, "the stream ends with message_stop:\n%s", stream)
	return g
}

func (g *grammar) readFrame(t *testing.T, frame []byte) {
	t.Helper()
	require.False(t, g.stopped, "nothing follows message_stop: %s", frame)
	lines := bytes.Split(bytes.TrimSuffix(frame, []byte("\n\n")), []byte{'\n'})
	data, ok := bytes.CutPrefix(lines[len(lines)-1], []byte("data: "))
	require.True(t, ok, "%s", frame)
	require.True(t, jsontext.Value(data).IsValid(), "%s", data)
	kind := jsonscan.DecodeText(jsonscan.Member(data, "type"))
	if kind == "" {
		return
	}
	require.Len(t, lines, 2, "%s", frame)
	require.Equal(t, "event: "+kind, string(lines[0]))
	g.readEvent(t, kind, data)
}

func (g *grammar) readEvent(t *testing.T, kind string, data []byte) {
	t.Helper()
	switch kind {
	case "ping":
	case "message_start":
		require.False(t, g.started)
		g.started = true
		requireMessage(t, jsonscan.Member(data, "message"))
	case "content_block_start", "content_block_delta", "content_block_stop":
		require.True(t, g.started && !g.finished, "%s", data)
		g.readBlockEvent(t, kind, data)
	case "message_delta":
		require.True(t, g.started && !g.finished && g.open == "", "%s", data)
		g.finished = true
		require.Contains(t, []string{"end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn"},
			jsonscan.DecodeText(jsonscan.Member(data, "delta", "stop_reason")))
		require.NotEmpty(t, jsonscan.Member(data, "usage", "output_tokens"))
	case "message_stop":
		require.True(t, g.finished)
		g.stopped = true
	default:
		g.unknown++
	}
}

func (g *grammar) readBlockEvent(t *testing.T, event string, data []byte) {
	t.Helper()
	if event == "content_block_start" {
		require.Empty(t, g.open, "%s", data)
		block := jsonscan.Member(data, "content_block")
		g.open = jsonscan.DecodeText(jsonscan.Member(block, "type"))
		if g.open == "tool_use" {
			require.Regexp(t, `^"[a-zA-Z0-9_-]+"$`, string(jsonscan.Member(block, "id")))
			require.Equal(t, "{}", string(jsonscan.Member(block, "input")))
		}
		g.text = string(jsonscan.Member(block, "name"))
		g.blocks++
	}
	require.Equal(t, strconv.Itoa(g.blocks-1), string(jsonscan.Member(data, "index")))
	require.NotEmpty(t, g.open, "%s", data)
	switch event {
	case "content_block_delta":
		delta := jsonscan.Member(data, "delta")
		kind := jsonscan.DecodeText(jsonscan.Member(delta, "type"))
		require.Equal(t, g.open, deltaKinds[kind], "%s", data)
		for _, member := range []string{"text", "thinking", "partial_json"} {
			g.text += jsonscan.DecodeText(jsonscan.Member(delta, member))
		}
	case "content_block_stop":
		g.message = append(g.message, g.open+": "+g.text)
		g.open = ""
	}
}

// requireMessage checks the members of a message that the SDKs require.
func requireMessage(t *testing.T, message []byte) {
	t.Helper()
	for name, kind := range map[string]jsontext.Kind{"id": '"', "type": '"', "role": '"', "model": '"', "content": '[', "usage": '{'} {
		require.Equal(t, kind, jsonscan.Member(message, name).Kind(), name)
	}
}
