package messages_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

func addSeeds(f *testing.F, folder string, add func(text []byte)) {
	f.Helper()
	for _, c := range golden.ReadCases(f, filepath.Join("testdata", folder)) {
		add([]byte(c.Input))
	}
}

// Every request becomes a chat that the parser of chats accepts, or is rejected as not
// supported. No text of a message gets lost.
func FuzzRequest(f *testing.F) {
	addSeeds(f, "requests", func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseMessages(body)
		if err != nil {
			return
		}
		translation, err := messages.Protocol{}.ToChat(r)
		if err != nil {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
			return
		}
		require.Empty(t, r.NativeOnly)
		chat, err := requestbody.ParseChat(translation.Body)
		if err != nil && strings.Contains(err.Error(), "nested deeper") {
			return // the schema of a tool is one level deeper in a chat
		}
		require.NoError(t, err, "%s", translation.Body)
		require.Equal(t, r.Stream, chat.Stream)
		for message := range jsonscan.Elements(jsonscan.Member(body, "messages")) {
			for block := range jsonscan.Elements(jsonscan.Member(message, "content")) {
				if text := jsonscan.Member(block, "text"); string(jsonscan.Member(block, "type")) == `"text"` && jsonscan.IsString(text) {
					require.Contains(t, string(translation.Body), string(text))
				}
			}
		}
	})
}

// A response that goes to the client and comes back in the history is the same chat message.
func FuzzRoundTrip(f *testing.F) {
	f.Add("Hello", "I think", "Bash", `{"a":1}`, "call_1", "gAAA", true)
	f.Add("", "", "x", `{}`, "functions.Bash:0", "", false)
	f.Add("a\n\"", "\u00e9\n", strings.Repeat("long", 30), `{"a":{"b":["}"]}}`, "sbx1_x", "d", true)
	f.Fuzz(func(t *testing.T, text, reasoning, name, arguments, id, data string, hidden bool) {
		if !jsonscan.Valid([]byte(arguments)) || !strings.HasPrefix(arguments, "{") || strings.TrimSpace(arguments) != arguments || id == "" || name == "" {
			return
		}
		if _, err := requestbody.ParseChat([]byte(`{"model":"m","messages":[{"role":"user","content":"x","y":` + arguments + `}]}`)); err != nil {
			return
		}
		quote := func(s string) string { return string(jsonscan.AppendQuoted(nil, s)) }
		message := `{"role":"assistant","content":` + quote(text)
		if text == "" {
			message = `{"role":"assistant","content":null`
		}
		if reasoning != "" {
			message += `,"reasoning_content":` + quote(reasoning)
		}
		if data != "" {
			message += `,"reasoning_details":[{"type":"reasoning.text","text":` + quote(reasoning) + `,"signature":"s"},{"type":"reasoning.encrypted","data":` + quote(data) + `}]`
		}
		display := "summarized"
		if hidden {
			display = "omitted"
		}
		request := func(history string) []byte {
			return []byte(`{"model":"m","max_tokens":9,"thinking":{"type":"adaptive","display":"` + display + `"},"tools":[{"name":` + quote(strings.ToValidUTF8(name, "\ufffd")) + `,"input_schema":{}}],"messages":[{"role":"user","content":"x"}` + history + `]}`)
		}
		translation, err := translate(t, request(""))
		require.NoError(t, err)
		chatName := jsonscan.Member(translation.Body, "tools")
		for tool := range jsonscan.Elements(chatName) {
			message += `,"tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":` + string(jsonscan.Member(tool, "function", "name")) + `,"arguments":` + quote(arguments) + `}}]}`
		}
		out, err := translation.FromChat([]byte(`{"choices":[{"index":0,"message":`+message+`,"finish_reason":"tool_calls"}]}`), options)
		require.NoError(t, err)
		requireMessage(t, out)
		again, err := translate(t, request(`,{"role":"assistant","content":`+string(jsonscan.Member(out, "content"))+`}`))
		require.NoError(t, err)
		require.JSONEq(t, message, lastAssistant(jsonscan.Member(again.Body, "messages")))
	})
}

func lastAssistant(messages jsontext.Value) (last string) {
	for m := range jsonscan.Elements(messages) {
		if string(jsonscan.Member(m, "role")) == `"assistant"` {
			last = string(m)
		}
	}
	return last
}

// Whatever an upstream sends, the client gets a stream that follows the grammar. It has the
// same text and the same arguments as the chat.
func FuzzStream(f *testing.F) {
	addSeeds(f, "streams", func(text []byte) {
		_, chunks, _ := bytes.Cut(text, []byte{'\n'})
		f.Add(chunks, true)
		f.Add(chunks, false)
	})
	f.Fuzz(func(t *testing.T, text []byte, thinks bool) {
		request := []byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`)
		if thinks {
			request = append(request[:len(request)-1], `,"thinking":{"type":"enabled"}}`...)
		}
		translation, err := translate(t, request)
		require.NoError(t, err)
		upstream := normalize.NewStream(normalize.StreamOptions{ID: "x", Model: "m", IncludeUsage: true, Choices: 1})
		stream := translation.NewStream(options)
		var out, frames []byte
		for line := range bytes.Lines(text) {
			if frames, err = upstream.AppendEvent(frames, bytes.TrimSpace(line)); err != nil {
				return
			}
		}
		if frames, err = upstream.Finish(frames); err != nil {
			return
		}
		var wantText, wantArguments string
		for _, chunk := range splitFrames(frames) {
			if out, err = stream.AppendChunk(out, chunk); err != nil {
				require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
				return
			}
			choices := jsonscan.Member(chunk, "choices")
			for choice := range jsonscan.Elements(choices) {
				delta := jsonscan.Member(choice, "delta")
				wantText += jsonscan.DecodeText(jsonscan.Member(delta, "content")) + jsonscan.DecodeText(jsonscan.Member(delta, "refusal"))
				for call := range jsonscan.Elements(jsonscan.Member(delta, "tool_calls")) {
					wantArguments += jsonscan.DecodeText(jsonscan.Member(call, "function", "arguments"))
				}
			}
		}
		out = stream.AppendEnd(out)
		requireGrammar(t, out)
		gotText, gotArguments := deltaTexts(out)
		require.Len(t, gotText, len(wantText))
		require.Len(t, gotArguments, len(wantArguments))
	})
}

// deltaTexts returns the text and the arguments of all deltas.
func deltaTexts(stream []byte) (text, arguments string) {
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			text += jsonscan.DecodeText(jsonscan.Member(data, "delta", "text"))
			arguments += jsonscan.DecodeText(jsonscan.Member(data, "delta", "partial_json"))
		}
	}
	return text, arguments
}

// The relay forwards every event, or fails before the client has anything.
func FuzzRelay(f *testing.F) {
	addSeeds(f, "relays", func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text []byte) {
		relay := messages.Protocol{}.NewRelay(inbound.Options{Model: `a"b`})
		for line := range bytes.Lines(text) {
			event := bytes.TrimSpace(line)
			out, err := relay.AppendEvent(nil, event)
			if err != nil {
				return
			}
			if len(event) == 0 {
				require.Empty(t, out)
				continue
			}
			isError := len(out) == 0
			if isError {
				out = relay.AppendError(nil, apperr.New(apperr.ProviderInterrupted, "x"), apperr.Options{})
			}
			_, data, ok := bytes.Cut(out, []byte("data: "))
			require.True(t, ok)
			require.Equal(t, 1, bytes.Count(out, []byte("\n\n")), "%q", out)
			data = bytes.TrimSuffix(data, []byte("\n\n"))
			require.True(t, jsonscan.Valid(data), "%q", data)
			if isError {
				require.True(t, bytes.HasPrefix(data, event[:len(event)-1]), "%q", data)
				return
			}
			if jsonscan.Member(event, "message") == nil {
				require.Equal(t, string(event), string(data))
			}
		}
		if u := relay.ReportedValues().Usage; u != nil {
			require.LessOrEqual(t, u.CacheWrite1h, u.CacheWrite)
			require.LessOrEqual(t, u.Reasoning, u.Output)
		}
	})
}

// Whatever an upstream responds, the client gets a message or an error.
func FuzzResponse(f *testing.F) {
	addSeeds(f, "responses", func(text []byte) { f.Add([]byte(jsonscan.Member(text, "body"))) })
	f.Add([]byte(`{"choices":5}`))
	f.Add([]byte(`{"choices":[5],"usage":[]}`))
	f.Add([]byte(`{"content":[5],"usage":5,"model":5}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		translation, err := translate(t, []byte(plainRequest))
		require.NoError(t, err)
		if out, err := translation.FromChat(body, options); err == nil {
			require.True(t, jsonscan.Valid(out), "%s", out)
			requireMessage(t, out)
		}
		if response, err := (messages.Protocol{}).RelayBody(body, options); err == nil {
			require.True(t, jsonscan.Valid(response.Body), "%s", response.Body)
		}
		if out, err := translation.NewStream(options).AppendChunk(nil, body); err != nil {
			require.Empty(t, out)
		}
	})
}
