package outbound_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// members decodes an object so that two objects can be compared.
func members(t *testing.T, body []byte) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &m), "%s", body)
	return m
}

// FuzzPlainChat parses chat bodies and builds them for an upstream without deviations.
func FuzzPlainChat(f *testing.F) {
	const rest = `{"model":"m",` + user
	for _, body := range []string{
		rest + `}`, rest + `,"stream":true}`, rest + `,"stream":true,"stream_options":{"x":1}}`, `{"stream_options":null,` + rest[1:] + `}`,
		rest + `,"tools":[{}],"response_format":{"type":"json_object"},"max_tokens":1e2}`,
		rest + `,"stop":["a"],"user":null,"tool_choice":{},"logprobs":false,"x":{"a":1}}`,
		rest + `,"stream":true,"stream_options":{"include_obfuscation":true,"include_usage":null,"y":[]}}`,
		`{"model":"\ud83d\ude00","messages":[{"role":"user","content":[{"type":"text","text":"\n"},{"image_url":{}}]}]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseChat(body)
		if err != nil {
			return
		}
		requireUnchangedBody(t, body, bytes.Join(outbound.BuildPlain(r, "up"), nil), "stream_options")
	})
}

// FuzzPlainEmbeddings does the same with the bodies of embeddings.
func FuzzPlainEmbeddings(f *testing.F) {
	for _, input := range []string{`"x"`, `["a","b"]`, `[1,2]`, `[[1],[2,3]]`, `[1.0,1e2]`} {
		f.Add([]byte(`{"model":"m","input":` + input + `}`))
		f.Add([]byte(`{"encoding_format":null,"model":"m","input":` + input + `}`))
		f.Add([]byte(`{"encoding_format":"base64","model":"m","dimensions":8,"input":` + input + `,"x":12345678901234567890}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseEmbeddings(body)
		if err != nil {
			return
		}
		requireUnchangedBody(t, body, bytes.Join(outbound.BuildPlain(r, "up"), nil), "encoding_format")
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
