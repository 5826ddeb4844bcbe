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

// members decodes an object so that two objects can be compared.
func members(t *testing.T, body []byte) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &m), "%s", body)
	return m
}

func FuzzParseChat(f *testing.F) {
	for _, seed := range []string{
		hi(""), hi(`,"stream":true`), hi(`,"stream":true,"stream_options":{"x":1}`), `{"stream_options":null,` + hi("")[1:],
		hi(`,"tools":[{}],"response_format":{"type":"json_object"},"max_tokens":1e2`), hi(`,"n":129`), hi(`,"Stream":1`),
		hi(`,"stop":["a"],"user":null,"tool_choice":{},"logprobs":false,"seed":1e400,"x":{"a":1,"\u0061":2}`),
		`{"model":"\ud83d\ude00","messages":[{"role":"user","content":[{"type":"text","text":"\n"},{"image_url":{}}]}]}`,
		`{"model":"m","messages":[{"role":"user","Content":[]}],"input":5}`, `{"model":1}`, `{`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := openai.ParseChat(body)
		require.Equal(t, isChat(body), err == nil, "%v", err)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(r.Excerpt(100)), 100)
		requireUnchangedBody(t, body, bytes.Join(openai.BuildPlain(r, "up"), nil), "stream_options")
	})
}

func FuzzParseEmbeddings(f *testing.F) {
	for _, input := range []string{`"x"`, `["a","b"]`, `[1,2]`, `[[1],[2,3]]`, `[]`, `[[]]`, `[1,"a"]`, `[1.0,1e2]`, `{}`, `null`, `[1e400]`} {
		f.Add([]byte(`{"model":"m","input":` + input + `}`))
		f.Add([]byte(`{"encoding_format":"base64","model":"m","dimensions":8,"input":` + input + `,"x":12345678901234567890}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := openai.ParseEmbeddings(body)
		require.Equal(t, isEmbeddings(body), err == nil, "%v", err)
		if err != nil {
			return
		}
		require.Positive(t, r.InputCount)
		requireUnchangedBody(t, body, bytes.Join(openai.BuildPlain(r, "up"), nil), "encoding_format")
	})
}

// requireUnchangedBody checks that a body was sent with all members unchanged and in order,
// except for the model name and one other member.
func requireUnchangedBody(t *testing.T, body, sent []byte, other string) {
	t.Helper()
	before, after := members(t, body), members(t, sent)
	require.Equal(t, `"up"`, string(after["model"]))
	for _, name := range []string{"model", other} {
		delete(before, name)
		delete(after, name)
	}
	require.Equal(t, before, after)
	if !bytes.Contains(body, []byte(other)) && !bytes.Contains(sent, []byte(other)) && bytes.Count(body, []byte(`"model"`)) == 1 {
		_, head, _ := bytes.Cut(body, []byte(`"model"`))
		require.True(t, bytes.HasPrefix(sent, body[:len(body)-len(head)]), "all before the name is the client's")
		require.Equal(t, body[len(body)-1], sent[len(sent)-1])
	}
}

// pieces is a reader that returns at most n bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\ndata: [DONE]\n\n", ": x\r\nevent: y\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n", "data: [DONE]", "data: {}\r\rdata:[DONE]\r\r",
		"data: {}\ndata: {}\ndata: [DONE]\n", "data:\n\ndata:  \n\ndata: x\n\n", "\ufeffdata: {}\n\n\ufeffdata: {}\n\n", " {\"a\":\n\n1}\n", "{}\n{}", "data\ndata:{}",
		"data: [DONE]  \ndata: {}\n\n", "data: {}\r\n\rdata: 1\n\r\n", strings.Repeat("data: "+strings.Repeat("x", 5000)+"\r", 2) + "\r",
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, stream string, n int) {
		want, done := eventsOf(stream)
		end := openai.ErrNoDone
		if done {
			end = io.EOF
		}
		for _, r := range []io.Reader{strings.NewReader(stream), pieces{strings.NewReader(stream), max(1, n%100)}} {
			got, err := drain(r)
			require.Equal(t, end, err)
			require.Len(t, got, len(want), "%q", got)
			for i := range want {
				require.Equal(t, strings.TrimSpace(want[i]), strings.TrimSpace(got[i]))
			}
		}
	})
}

func FuzzChatResponse(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"arguments":{"a":1}}}]},"x":1}],"usage":{"z":1},"y":2}`,
		"{\"choices\":[{\"message\":{},\"finish_reason\":\"\xff\"}]}", `{"error":"x"}`, `{"choices":[{"index":5,"message":{"function_call":{"name":"f"}}},{"message":{}}]}`,
		"data: " + deltaEvent(`{"content":"a"}`, `"stop"`) + "\n\n", `{"choices":[{"message":{"content":5,"refusal":[]},"logprobs":{}}],"usage":{"prompt_tokens":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := openai.ParseChatResponse(body, responseOptions)
		if err != nil {
			return
		}
		checkResponse(t, a.Body)
	})
}
