package requestbody_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

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
		r, err := requestbody.ParseChat(body)
		require.Equal(t, isChat(body), err == nil, "%v", err)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(r.Excerpt(100)), 100)
	})
}

func FuzzParseEmbeddings(f *testing.F) {
	for _, input := range []string{`"x"`, `["a","b"]`, `[1,2]`, `[[1],[2,3]]`, `[]`, `[[]]`, `[1,"a"]`, `[1.0,1e2]`, `{}`, `null`, `[1e400]`} {
		f.Add([]byte(`{"model":"m","input":` + input + `}`))
		f.Add([]byte(`{"encoding_format":"base64","model":"m","dimensions":8,"input":` + input + `,"x":12345678901234567890}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseEmbeddings(body)
		require.Equal(t, isEmbeddings(body), err == nil, "%v", err)
		if err != nil {
			return
		}
		require.Positive(t, r.InputCount)
	})
}
