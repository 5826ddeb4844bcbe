package messages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

// A streamed response that comes back in the history is the chat message that the upstream
// produced, so that the upstream recognizes its own reasoning.
func TestStreamRoundTrip(t *testing.T) {
	const signed = `"reasoning_content":"I think.","reasoning_details":[{"type":"reasoning.text","text":"I think.","signature":"EqQ","format":"anthropic-claude-v1","index":0}]`
	const encrypted = `"reasoning_details":[{"type":"reasoning.encrypted","data":"gAA","format":"google-gemini-v1"}]`
	call := func(id, name, arguments string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + string(jsonscan.AppendQuoted(nil, arguments)) + `}}`
	}
	for name, want := range map[string]string{
		"thinking":            `"content":"ok",` + signed,
		"thinking_plain":      `"content":"ok","reasoning_content":"I think."`,
		"thinking_hidden":     `"content":"ok","reasoning_content":"I think."`,
		"details_first":       `"content":"ok",` + encrypted,
		"details_before_call": `"content":"ok",` + encrypted + `,"tool_calls":[` + call("c", "Bash", `{"a":1}`) + `]`,
		"one_call":            `"content":"I look.","tool_calls":[` + call("call_1", "Bash", `{"command":"ls"}`) + `]`,
		"parallel_in_order":   `"content":null,"tool_calls":[` + call("call_1", "Bash", `{"a":"}"}`) + `,` + call("functions.Read:1", "Read", `{"b":2}`) + `]`,
		"thinking_pieces": `"content":"ok","reasoning_content":"I think.","reasoning_details":[{"type":"reasoning.text","text":"I think.","signature":"EqQ","index":0,"format":"x"},` +
			`{"type":"reasoning.text","text":"more","signature":"Eq2","index":1,"format":"x"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			input := readInput(t, filepath.Join("testdata", "streams", name+".txt"))
			lines := splitLines([]byte(input))
			events, err := translateStream(t, lines[0], lines[1:]...)
			require.NoError(t, err)
			history := `{"role":"assistant","content":` + assembleContent(t, events) + `}`
			if !strings.Contains(want, "tool_calls") {
				history += `,{"role":"user","content":"Go on."}`
			}
			second := addMessages(lines[0], history)
			chat, err := translate(t, second)
			require.NoError(t, err)
			require.JSONEq(t, `{"role":"assistant",`+want+`}`, lastAssistant(jsonscan.Member(chat.Body, "messages")))
		})
	}
}

func readInput(t *testing.T, file string) string {
	t.Helper()
	archive, err := os.ReadFile(file)
	require.NoError(t, err)
	sections, err := golden.ParseSections(string(archive))
	require.NoError(t, err)
	return strings.TrimSpace(sections[0].Text)
}
