package gemini

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// The translated request is valid JSON, and rejections name a parameter.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}],"stop":"x"}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a__thought__AQID","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"[1]"}],"tools":[` + weather + `],"tool_choice":"auto"}`,
		`{"model":"m","messages":[{"role":"system","content":"x"}],"response_format":{"type":"json_schema","json_schema":
			{"schema":{"allOf":[{"const":1}],"items":[{}],"definitions":{"a":{"$ref":"#/definitions/a"}}}}},"reasoning_effort":"low"}`,
		`{"model":"m","input":["a","b"],"dimensions":3,"messages":[{"role":"user","content":null}],"generationConfig":{"a":[]},"n":2}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, old bool) {
		call := provider.Call{UpstreamModel: "m"}
		if old {
			call.Wire = olderWire
		}
		var err error
		if call.Request, err = requestbody.ParseChat(body); err == nil {
			out, _, err := buildChatRequest(call, signatureMode(old))
			requireValidRequest(t, out, err)
		}
		if call.Request, err = requestbody.ParseEmbeddings(body); err == nil {
			e := parseEmbedRequest(call)
			requireValidRequest(t, e.buildBatch(e.inputs), e.err)
		}
	})
}

func requireValidRequest(t *testing.T, out []byte, err error) {
	t.Helper()
	if err != nil {
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
		return
	}
	require.True(t, json.Valid(out), "%s", out)
}

// Whatever the upstream sends, the client gets a valid stream or response.
func FuzzStream(f *testing.F) {
	for _, kind := range []string{"stream", "answer"} {
		for _, c := range golden.ReadCases(f, "testdata/"+kind) {
			f.Add([]byte(c.Input))
			f.Add([]byte(c.Result))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []string
		for line := range bytes.Lines(text) {
			list = append(list, string(line))
		}
		frames, usage, _ := playStream(&lineEvents{list, sse.ErrNoDone})
		for frame := range bytes.SplitSeq([]byte(frames), []byte("\n\n")) {
			payload, ok := bytes.CutPrefix(frame, []byte("data: "))
			require.True(t, ok || len(frame) == 0, "%q", frame)
			require.True(t, len(frame) == 0 || string(payload) == "[DONE]" || json.Valid(payload), "%q", payload)
		}
		requireSaneUsage(t, usage)
		translated, _ := translateResponse(text)
		if a, err := normalize.Chat(translated, answerOptions); err == nil {
			require.True(t, json.Valid(a.Body), "%s", a.Body)
			requireSaneUsage(t, a.Usage)
		}
	})
}

func requireSaneUsage(t *testing.T, u *catalog.Usage) {
	t.Helper()
	if u != nil {
		require.True(t, u.Input >= 0 && u.CacheRead >= 0 && u.Output >= 0 && u.Reasoning <= u.Output, "%+v", u)
	}
}

// Whatever the upstream sends, the client gets valid embeddings or an error.
func FuzzEmbeddings(f *testing.F) {
	f.Add([]byte(`{"embeddings":[{"values":[0.5,-1e-3]},{"values":[1,2]}],"usageMetadata":{"promptTokenCount":3}}`))
	f.Add([]byte(`{"embeddings":[{"values":["x"]},{}]}`))
	f.Add([]byte(`{"embeddings":[{"values":[1e300,-1e300]},{"values":[0,0]}]}`))
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"auto","input":["a","b"]}`))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := normalize.Embeddings(translateEmbeddings([]upstream.Response{{Body: body}}), r, "m")
		if err == nil {
			require.True(t, json.Valid(a.Body), "%s", a.Body)
			requireSaneUsage(t, a.Usage)
		}
	})
}
