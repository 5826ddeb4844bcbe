package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// A response that goes to the client and comes back in the history is the same chat message.
func FuzzRoundTrip(f *testing.F) {
	f.Add("Hello", `{"a":1}`, "call_1", "gAAA")
	f.Add("", `{}`, "functions.ls:0", "")
	f.Add("a\n\"\u00e9", `{"a":{"b":["}"]}}`, "sbx1_x", "d")
	f.Fuzz(func(t *testing.T, text, arguments, id, data string) {
		for _, s := range []string{text, arguments, id, data} {
			if !utf8.ValidString(s) {
				return
			}
		}
		if id == "" || !strings.HasPrefix(arguments, "{") || !jsonscan.Valid([]byte(arguments)) {
			return
		}
		if _, err := requestbody.ParseChat([]byte(`{"model":"m","messages":[{"role":"user","content":"x","y":` + arguments + `}]}`)); err != nil {
			return
		}
		message := chatReply(text, arguments, id, data)
		parts := wholeParts(t, message)
		got := firstAssistant(t, translate(t, answer(t, map[string]any{"role": "model", "parts": parts}, false)).Body)
		var want map[string]any
		require.NoError(t, json.Unmarshal([]byte(message), &want))
		require.Equal(t, comparableMessage(t, want), comparableMessage(t, got))
	})
}

// comparableMessage replaces the text of the arguments by their value, because Google's format has
// them as an object.
func comparableMessage(t *testing.T, message map[string]any) map[string]any {
	t.Helper()
	for _, call := range message["tool_calls"].([]any) {
		function := call.(map[string]any)["function"].(map[string]any)
		var value any
		require.NoError(t, json.Unmarshal([]byte(function["arguments"].(string)), &value))
		function["arguments"] = value
	}
	return message
}

// chatReply returns an assistant message of a chat with the parts that are not empty.
func chatReply(text, arguments, id, data string) string {
	quote := func(s string) string { return string(jsonscan.AppendQuoted(nil, s)) }
	message := `{"role":"assistant","content":null`
	if text != "" {
		message = `{"role":"assistant","content":` + quote(text)
	}
	if data != "" {
		message += `,"reasoning_details":[{"type":"reasoning.encrypted","data":` + quote(data) + `,"format":"anthropic-claude-v1","index":0}]`
	}
	return message + `,"tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":"ls","arguments":` + quote(arguments) + `}}]}`
}
