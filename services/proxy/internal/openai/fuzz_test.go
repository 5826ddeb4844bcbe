package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

// members decodes an object so that two of them can be compared.
func members(t *testing.T, body []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &m), "%s", body)
	return m
}

func FuzzParseChat(f *testing.F) {
	for _, seed := range []string{
		hi(""), hi(`,"stream":true`), hi(`,"stream":true,"stream_options":{"x":1}`), `{"stream_options":null,` + hi("")[1:],
		hi(`,"tools":[{}],"response_format":{"type":"json_object"},"max_tokens":1e2`),
		`{"model":"\ud83d\ude00","messages":[{"role":"user","content":[{"type":"text","text":"\n"},{"image_url":{}}]}]}`,
		`{"model":1}`, `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := openai.ParseChat(body)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(r.Excerpt(100)), 100)
		before, after := members(t, body), members(t, bytes.Join(r.Outbound("up"), nil))
		require.Equal(t, `"up"`, string(after["model"]))
		for _, name := range []string{"model", "stream_options"} {
			delete(before, name)
			delete(after, name)
		}
		require.Equal(t, before, after)
	})
}

func FuzzEvents(f *testing.F) {
	f.Add("data: {}\n\ndata: [DONE]\n\n")
	f.Add(": x\r\nevent: y\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n")
	f.Add("data: [DONE]")
	f.Fuzz(func(t *testing.T, stream string) {
		whole, err := drain(strings.NewReader(stream))
		require.Error(t, err)
		pieces, again := drain(io.MultiReader(strings.NewReader(stream[:len(stream)/2]), strings.NewReader(stream[len(stream)/2:])))
		require.Equal(t, err, again)
		require.Equal(t, whole, pieces)
	})
}

// FuzzStreamPattern plays events that differ only in their text to two streams,
// one of which parses each of them.
func FuzzStreamPattern(f *testing.F) {
	const before = `{"choices":[{"index":0,"delta":{"content":`
	for _, after := range []string{
		`},"finish_reason":null}]}`, `},"finish_reason":""}]}`, `},"finish_reason":"stop"}]}`, `}}],"usage":{"prompt_tokens":1}}`,
		`,"role":"assistant","reasoning":"r\n"},"finish_reason":""}],"z":1}`, `,"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}`,
	} {
		f.Add(before, after, `"a"`, `"b\n"`, true)
	}
	for _, text := range []string{`"b\"`, `"b","refusal":"c"`, `"\ud800"`, "\"\xff\"", "\"\x01\"", "\"\n\"", `b`} {
		f.Add(before, `}}]}`, `"a"`, text, false)
	}
	f.Add(`{"choices":[{"delta":{"x":"`, `"}}]}`, `","content":"`, `\`, true)
	f.Fuzz(func(t *testing.T, before, after, a, b string, includeUsage bool) {
		fast, slow := newStream(includeUsage), newStream(includeUsage)
		for _, text := range []string{a, b, a, `"c d"`, "other", b, a, `""`, `null`, a, `"e\t\"f\""`} {
			event := []byte(before + text + after)
			if text == "other" {
				event = []byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"g"}}]}}],"usage":{"prompt_tokens":7}}`)
			}
			got, err := fast.Event([]byte("kept "), event)
			slow.Forget()
			want, again := slow.Event([]byte("kept "), event)
			require.Equal(t, string(want), string(got), "%s", event)
			require.Equal(t, again, err)
			require.Equal(t, slow.Started(), fast.Started())
			require.Equal(t, slow.OutputText(), fast.OutputText())
			require.Equal(t, slow.Usage(), fast.Usage())
		}
		got, err := fast.Finish(nil)
		want, again := slow.Finish(nil)
		require.Equal(t, string(want), string(got))
		require.Equal(t, again, err)
	})
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(deltaEvent(`{"role":"assistant","content":"a","x":[1]}`, "null")), []byte(stopEvent), true)
	f.Add([]byte(deltaEvent(`{"tool_calls":[{"index":3,"function":{"arguments":{}}},{"id":"c"}]}`, `""`)), []byte(`{"usage":{"prompt_tokens":1,"y":2}}`), true)
	f.Add([]byte("{\n\"choices\":[],\"v\":\"\xff\"}"), []byte(`{"error":{"code":429}}`), false)
	f.Fuzz(func(t *testing.T, first, second []byte, includeUsage bool) {
		s := newStream(includeUsage)
		var out []byte
		for _, payload := range [][]byte{first, second, []byte(stopEvent)} {
			out, _ = s.Event(out, payload)
		}
		out, _ = s.Finish(out)
		for frame := range bytes.SplitSeq(out, []byte("\n\n")) {
			data, ok := bytes.CutPrefix(frame, []byte("data: "))
			if string(data) == "[DONE]" || len(frame) == 0 {
				continue
			}
			require.True(t, ok, "%q", frame)
			require.NotContains(t, string(data), "\n")
			require.Contains(t, members(t, data), "choices")
		}
	})
}

func FuzzChatAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"arguments":{"a":1}}}]},"x":1}],"usage":{"z":1},"y":2}`))
	f.Add([]byte("{\"choices\":[{\"message\":{},\"finish_reason\":\"\xff\"}]}"))
	f.Add([]byte(`{"error":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := openai.ChatAnswer(body, answerOptions)
		if err != nil {
			return
		}
		got := members(t, a.Body)
		for _, name := range []string{"id", "object", "created", "model", "choices", "usage"} {
			require.Contains(t, got, name)
		}
	})
}
