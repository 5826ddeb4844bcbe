package responses_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// FuzzRoundTrip checks that a response that goes to the client and comes back in the history is
// the same chat message.
func FuzzRoundTrip(f *testing.F) {
	f.Add("Hello", "I think", `{"a":1}`, "call_1", "gAAA")
	f.Add("", "", `{}`, "functions.Bash:0", "")
	f.Add("a\n\"", "\u00e9\n", `{"a":{"b":["}"]}}`, "sbx1_x", "d")
	f.Fuzz(func(t *testing.T, text, reasoning, arguments, id, data string) {
		for _, s := range []string{text, reasoning, arguments, id, data} {
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
		message := chatReply(text, reasoning, arguments, id, data)
		const request = `{"model":"m","reasoning":{"effort":"low"},"tools":[{"type":"function","name":"Bash","parameters":{}}],"input":"x"}`
		out, err := toChat(t, request).FromChat([]byte(`{"choices":[{"index":0,"message":`+message+`,"finish_reason":"tool_calls"}]}`), options)
		require.NoError(t, err)
		var got response
		require.NoError(t, json.Unmarshal(out, &got))
		var want chatMessage
		require.NoError(t, json.Unmarshal([]byte(message), &want))
		require.Equal(t, want, nextTurn(t, json.RawMessage(request), got.Output))
	})
}

// chatReply returns an assistant message of a chat with the parts that are not empty.
func chatReply(text, reasoning, arguments, id, data string) string {
	quote := func(s string) string { return string(jsonscan.AppendQuoted(nil, s)) }
	message := `{"role":"assistant","content":null`
	if text != "" {
		message = `{"role":"assistant","content":` + quote(text)
	}
	if reasoning != "" {
		message += `,"reasoning_content":` + quote(reasoning)
	}
	if data != "" {
		message += `,"reasoning_details":[{"type":"reasoning.encrypted","data":` + quote(data) + `}]`
	}
	return message + `,"tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":"Bash","arguments":` + quote(arguments) + `}}]}`
}
