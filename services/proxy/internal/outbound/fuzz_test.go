package outbound_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// deviations are parts of a catalog.Wire, with the top-level members they affect.
var deviations = []struct {
	wire  string
	names []string
}{
	{`{"drop":["store","user"]}`, []string{"store", "user"}},
	{`{"drop":["messages[].name","messages[].content[].text"]}`, []string{"messages"}},
	{`{"drop":["tools[].function.strict","tools[].type","a.b[].c"]}`, []string{"tools", "a"}},
	{`{"drop":["stream_options"]}`, nil},
	{`{"drop_default":["response_format","n"],"refuse":["logprobs"]}`, []string{"response_format", "n", "logprobs"}},
	{`{"rename":{"max_tokens":"max_completion_tokens","seed":"random_seed"}}`, []string{"max_tokens", "max_completion_tokens", "seed"}},
	{`{"values":{"tool_choice":{"required":"any","auto":""}},"limits":{"temperature":{"min":"0.5","max":"1"}}}`, []string{"tool_choice", "temperature"}},
	{`{"drop_empty":true}`, []string{"tools", "functions", "stop", "tool_choice", "parallel_tool_calls", "function_call"}},
	{`{"add":{"usage":{"include":true},"x":[1]}}`, nil},
	{`{"roles":{"developer":"system"},"text_content":true,"tool_text":true,"tool_id_length":9,"replays_reasoning":true}`, []string{"messages"}},
	{`{"reasoning":"thinking_effort"}`, []string{"reasoning_effort"}},
	{`{"reasoning":"reasoning_object","values":{"reasoning_effort":{"low":"high"}}}`, []string{"reasoning_effort"}},
}

// always lists the members that may be changed or added in any request.
var always = []string{"model", "stream_options", "encoding_format", "usage", "x", "random_seed", "thinking", "reasoning"}

// FuzzOutbound builds a body for upstreams with any mix of deviations. The result
// is one JSON object without duplicate names. Every member that the wire does not
// name is the client's, byte for byte and in order.
func FuzzOutbound(f *testing.F) {
	for i, body := range []string{
		`{"model":"m",` + user + `,"store":true,"max_tokens":3,"max_completion_tokens":5,"temperature":2,"stream":true}`,
		`{"user":"u","store":true,"messages":[{"name":"n","role":"developer","content":[{"type":"text","text":"a"}]}],"model":"m","tools":[{"type":"function","function":{"strict":true}}]}`,
		`{ "reasoning_effort":"low" , "thinking":1,"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"call_1"}]},{"role":"tool","tool_call_id":"call_1"}],"stream_options":{"include_obfuscation":true},"stream":true}`,
		`{"n":1,"logprobs":false,"usage":null,"model":"m","x":{},` + user + `,"a":{"b":[{"c":1,"d":2},{"c":3}]},"seed":1,"tool_choice":"auto","stream_options":null}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c__thought__QUJD"}]},{"role":"tool","tool_call_id":"c__thought__QUJD"}],"stream":true}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c"}]},{"content":[{"type":"image_url","image_url":{"url":"u"}},{}],"role":"tool"}]}`,
	} {
		f.Add([]byte(body), uint16(1<<i|0x7ff))
		f.Add([]byte(body), uint16(0))
		f.Add([]byte(body), uint16(0x1ff))
	}
	f.Fuzz(func(t *testing.T, body []byte, choice uint16) {
		r, err := requestbody.ParseChat(body)
		if err != nil {
			return
		}
		var w *catalog.Wire
		named := slices.Clone(always)
		if bytes.Contains(body, []byte(requestbody.SignatureSeparator)) {
			named = append(named, "messages")
		}
		for i, d := range deviations {
			if choice&(1<<i) != 0 {
				w = w.Merge(wire(t, d.wire))
				named = append(named, d.names...)
			}
		}
		pieces, _, err := outbound.Build(r, "up", w)
		if err != nil {
			return
		}
		out := bytes.Join(pieces, nil)
		require.True(t, jsontext.Value(out).IsValid(), "%s", out)
		require.Equal(t, others(t, body, named), others(t, out, named), "%s", out)
	})
}

// others returns the members whose names are not in the list, as written.
func others(t *testing.T, body []byte, named []string) []string {
	var all []string
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	_, err := dec.ReadToken()
	require.NoError(t, err)
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		require.NoError(t, err)
		text := name.String()
		v, err := dec.ReadValue()
		require.NoError(t, err)
		if !slices.Contains(named, text) {
			all = append(all, text+":"+string(v))
		}
	}
	return all
}
