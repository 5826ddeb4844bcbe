package outbound_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

func wire(t *testing.T, text string) *catalog.Wire {
	t.Helper()
	w := &catalog.Wire{}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(w))
	require.NoError(t, w.Check())
	return w
}

func chat(t *testing.T, body string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return r
}

const user = `"messages":[{"role":"user","content":"hi"}]`

func TestOutboundForDeviations(t *testing.T) {
	for name, tc := range map[string]struct {
		wire, give, want string
		dropped          []string
	}{
		"nothing named": {
			`{"drop":["store"]}`,
			"{ \"top_k\": 5 ,\"model\" : \"auto\", \"x_seed\":123456789012345678901234567890, " + user + ",\"t\":\"\\u00e9\\/\" }\r\n",
			"{ \"top_k\": 5 ,\"model\" : \"up\", \"x_seed\":123456789012345678901234567890, " + user + ",\"t\":\"\\u00e9\\/\" }\r\n", nil,
		},
		"dropped": {
			`{"drop":["store","user","verbosity","seed"]}`,
			`{ "store":true , "user":"u","model":"auto", "verbosity":"low", ` + user + `,"x":1 ,"seed":7}`,
			`{ "model":"up", ` + user + `,"x":1}`, []string{"store", "user", "verbosity", "seed"},
		},
		"dropped, escaped": {
			`{"drop":["store"]}`, `{"model":"auto","st\u006fre":true,` + user + `}`, `{"model":"up",` + user + `}`, []string{"store"},
		},
		"dropped, default value": {
			`{"drop":["store","service_tier","parallel_tool_calls","temperature"],"refuse":["n","logprobs","response_format"]}`,
			`{"model":"auto","store":false,"service_tier":"auto","parallel_tool_calls":true,"temperature":1.0,"n":1,"logprobs":null,"response_format":{ "type": "text" },` + user + `}`,
			`{"model":"up",` + user + `}`, nil,
		},
		"false is something": {
			`{"drop":["parallel_tool_calls"]}`, `{"model":"auto","parallel_tool_calls":false,` + user + `}`, `{"model":"up",` + user + `}`, []string{"parallel_tool_calls"},
		},
		"empty members": {
			`{"drop_empty":true}`, `{"tools":[],"model":"auto","functions":[ ],"stop":null,"stop_x":[],` + user + `}`, `{"model":"up","stop_x":[],` + user + `}`, []string{"tools", "functions"},
		},
		"members without tools": {
			`{"drop_empty":true}`, `{"model":"auto","tool_choice":"required","parallel_tool_calls":true,"function_call":"auto","tools":null,` + user + `}`, `{"model":"up",` + user + `}`,
			[]string{"tool_choice", "parallel_tool_calls", "function_call"},
		},
		"members with tools": {
			`{"drop_empty":true}`, `{"model":"auto","tool_choice":"none","parallel_tool_calls":false,"tools":[{}],"functions":[{}],"function_call":"none","stop":"x",` + user + `}`,
			`{"model":"up","tool_choice":"none","parallel_tool_calls":false,"tools":[{}],"functions":[{}],"function_call":"none","stop":"x",` + user + `}`, nil,
		},
		"empty members where they are accepted": {
			`{}`, `{"model":"auto","tools":[],"tool_choice":"none","stop":null,` + user + `}`, `{"model":"up","tools":[],"tool_choice":"none","stop":null,` + user + `}`, nil,
		},
		"default left out": {
			`{"drop_default":["response_format"]}`, `{"model":"auto","response_format":{"type":"text"},` + user + `}`, `{"model":"up",` + user + `}`, nil,
		},
		"other value than the default": {
			`{"drop_default":["response_format"]}`, `{"model":"auto","response_format":{"type":"json_object"},` + user + `}`, `{"model":"up","response_format":{"type":"json_object"},` + user + `}`, nil,
		},
		"W-03 old name": {
			`{"rename":{"max_completion_tokens":"max_tokens"}}`, `{"model":"auto","max_completion_tokens" : 50,` + user + `}`, `{"model":"up","max_tokens" : 50,` + user + `}`, nil,
		},
		"W-03 new name": {
			`{"rename":{"max_tokens":"max_completion_tokens"}}`, `{"max_tokens":50,"model":"auto",` + user + `}`, `{"max_completion_tokens":50,"model":"up",` + user + `}`, nil,
		},
		"W-03 both, the smaller": {
			`{"rename":{"max_tokens":"max_completion_tokens"}}`, `{"model":"auto","max_tokens":50,"max_completion_tokens":70,` + user + `}`, `{"model":"up","max_completion_tokens":50,` + user + `}`, nil,
		},
		"W-03 both, the own": {
			`{"rename":{"max_tokens":"max_completion_tokens"}}`, `{"model":"auto","max_completion_tokens":5.0e1,"max_tokens":70,` + user + `}`, `{"model":"up","max_completion_tokens":5.0e1,` + user + `}`, nil,
		},
		"values": {
			`{"values":{"tool_choice":{"required":"any"},"reasoning_effort":{"none":""}}}`, `{"model":"auto","tool_choice":"required","reasoning_effort":"none",` + user + `}`, `{"model":"up","tool_choice":"any",` + user + `}`, []string{"reasoning_effort"},
		},
		"values of other kinds": {
			`{"values":{"tool_choice":{"required":"any"}}}`, `{"model":"auto","tool_choice":{"type":"function","function":{"name":"required"}},` + user + `}`, `{"model":"up","tool_choice":{"type":"function","function":{"name":"required"}},` + user + `}`, nil,
		},
		"limits": {
			`{"limits":{"temperature":{"min":"1e-8","max":"1.5"},"top_p":{"max":"0.9"}}}`, `{"temperature":0,"model":"auto","top_p":1,` + user + `}`, `{"temperature":1e-8,"model":"up","top_p":0.9,` + user + `}`, []string{"temperature", "top_p"},
		},
		"within limits": {
			`{"limits":{"temperature":{"max":"1.5"}}}`, `{"temperature":1.50,"model":"auto",` + user + `}`, `{"temperature":1.50,"model":"up",` + user + `}`, nil,
		},
		"added": {
			`{"add":{"usage":{"include":true},"x":1}}`, `{"model":"auto","x":2,` + user + `}`, `{"model":"up","usage":{"include":true},"x":2,` + user + `}`, nil,
		},
		"W-02 developer": {
			`{"roles":{"developer":"system"}}`,
			`{"model":"auto","messages":[{"role":"developer","content":"a"},{"role" : "user","content":"developer"},{"role":"system","content":"b"}]}`,
			`{"model":"up","messages":[{"role":"system","content":"a"},{"role" : "user","content":"developer"},{"role":"system","content":"b"}]}`, nil,
		},
		"members of messages": {
			`{"drop":["messages[].name","messages[].reasoning"]}`,
			`{"model":"auto","messages":[{"name":"n","role":"user", "content":"a"},{"role":"assistant","name":"n","content":"b" , "reasoning":"r" }]}`,
			`{"model":"up","messages":[{"role":"user", "content":"a"},{"role":"assistant","content":"b" }]}`, []string{"messages[].name", "messages[].reasoning"},
		},
		"strict tools": {
			`{"drop":["tools[].function.strict","tools[].function.parameters.$schema"]}`,
			`{"model":"auto",` + user + `,"tools":[{"type":"function","function":{"strict":true,"name":"f","parameters":{"$schema":"s","type":"object"}}},{"type":"function","function":{"name":"g","strict":false}}]}`,
			`{"model":"up",` + user + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g"}}]}`, []string{"tools[].function.strict", "tools[].function.parameters.$schema"},
		},
		"text content": {
			`{"text_content":true}`,
			`{"model":"auto","messages":[{"role":"user","content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}]}`,
			`{"model":"up","messages":[{"role":"user","content":"a\nb"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}}]}]}`, nil,
		},
		"text of tools": {
			`{"tool_text":true,"drop":["messages[].content[].cache_control"]}`,
			`{"model":"auto","messages":[{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"},{"id":"3"}]},` +
				`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"},"cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}]},` +
				`{"role":"tool", "content":[{"type":"file","file":{"file_data":"d"}},{"type":"image_url","image_url":{"url":"v"}}],"tool_call_id":"2"} , {"role":"tool","tool_call_id":"3","content":[{"type":"text","text":"c"}]},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"w"}}]},{"role":"tool","tool_call_id":"4","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`,
			`{"model":"up","messages":[{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"},{"id":"3"}]},` +
				`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},` +
				`{"role":"tool", "content":"","tool_call_id":"2"} , {"role":"tool","tool_call_id":"3","content":[{"type":"text","text":"c"}]},` +
				`{"role":"user","content":[{"type":"text","text":"Part of the result of tool call 1:"},{"type":"image_url","image_url":{"url":"u"}},` +
				`{"type":"text","text":"Part of the result of tool call 2:"},{"type":"file","file":{"file_data":"d"}},{"type":"image_url","image_url":{"url":"v"}}]},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"w"}}]},{"role":"tool","tool_call_id":"4","content":""},` +
				`{"role":"user","content":[{"type":"text","text":"Part of the result of tool call 4:"},{"type":"image_url","image_url":{"url":"x"}}]}]}`,
			[]string{"messages[].content[].cache_control"},
		},
		"ids and replay": {
			`{"tool_id_length":9,"replays_reasoning":true}`,
			`{"model":"auto","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"abcDEF123","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"x"},{"role":"tool","tool_call_id":"abcDEF123","content":"x"}]}`,
			`{"model":"up","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"sPnjkEYJU","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"abcDEF123","type":"function","function":{"name":"f","arguments":"{}"}}],"reasoning_content":""},{"role":"tool","tool_call_id":"sPnjkEYJU","content":"x"},{"role":"tool","tool_call_id":"abcDEF123","content":"x"}]}`, nil,
		},
		"replayed by the client": {
			`{"replays_reasoning":true}`,
			`{"model":"auto","messages":[{"role":"assistant","reasoning_content":"r","tool_calls":[{"id":"1"}]},{"role":"assistant","content":"plain"}]}`,
			`{"model":"up","messages":[{"role":"assistant","reasoning_content":"r","tool_calls":[{"id":"1"}]},{"role":"assistant","content":"plain"}]}`, nil,
		},
		"replayed as nothing": {
			`{"replays_reasoning":true}`,
			`{"model":"auto","messages":[{"role":"assistant","reasoning_content":null,"tool_calls":[{"id":"1"}]}]}`,
			`{"model":"up","messages":[{"role":"assistant","reasoning_content":"","tool_calls":[{"id":"1"}]}]}`, nil,
		},
		"stream": {
			`{"drop":["store"]}`, `{"store":true,"model":"auto",` + user + `,"stream":true}`, `{"model":"up","stream_options":{"include_usage":true},` + user + `,"stream":true}`, []string{"store"},
		},
		"stream, asked": {
			`{"drop":["store"]}`, `{"stream":true,"stream_options":{"include_usage":false},"model":"auto",` + user + `}`, `{"stream":true,"stream_options":{"include_usage":true},"model":"up",` + user + `}`, nil,
		},
		"stream without options": {
			`{"drop":["stream_options"]}`, `{"model":"auto",` + user + `,"stream":true}`, `{"model":"up",` + user + `,"stream":true}`, nil,
		},
		"stream, options of a client not wanted": {
			`{"drop":["stream_options"]}`, `{"stream_options":{"include_usage":true},"model":"auto",` + user + `,"stream":true}`, `{"model":"up",` + user + `,"stream":true}`, nil,
		},
		"plain, options left out": {
			`{"drop":["store"]}`, `{"store":true,"stream_options":null,"model":"auto","encoding_format":"x",` + user + `}`, `{"model":"up","encoding_format":"x",` + user + `}`, []string{"store"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := chat(t, tc.give)
			pieces, dropped, err := outbound.Build(r, "up", wire(t, tc.wire))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(bytes.Join(pieces, nil)))
			require.Equal(t, tc.dropped, dropped)
			require.Equal(t, tc.give, string(r.Body))
		})
	}
}

// Signatures of one vendor in tool call ids are not sent to other vendors.
func TestOutboundForStripsSignatures(t *testing.T) {
	long := strings.Repeat("x", 30)
	for _, w := range []*catalog.Wire{nil, wire(t, `{"drop":["store"]}`)} {
		for id, want := range map[string]string{
			"call_1__thought__" + strings.Repeat("QUJD", 300): "call_1",
			"call_1":                        "call_1",
			"call_1__thought__":             "call_1__thought__",
			"call_1__thought__a+/=":         "call_1",
			long + long:                     long + long,
			long + long + "__thought__QUJD": "w",
			"__thought__QUJD":               "w",
		} {
			if want == "w" {
				want = string(outbound.StripSignature([]byte(id)))
				require.Len(t, want, 32)
			}
			conversation := func(id string) string {
				return `"messages":[{"role":"user","content":"what is c__thought__QUJD ?"},{"role":"assistant","content":null,"tool_calls":[{ "id" : "` + id +
					`","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_2","type":"function"}]},{"role":"tool","tool_call_id":"` + id + `","content":"x"}]`
			}
			pieces, dropped, err := outbound.Build(chat(t, `{"model":"auto","stream":true,`+conversation(id)+`}`), "up", w)
			require.NoError(t, err)
			require.Equal(t, `{"model":"up","stream_options":{"include_usage":true},"stream":true,`+conversation(want)+`}`, string(bytes.Join(pieces, nil)))
			require.Empty(t, dropped)
		}
	}
}

// An id is found in each of the two places that hold one, also without the other.
func TestOutboundStripsTheOnlySignature(t *testing.T) {
	for name, message := range map[string]string{
		"call":   `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1%s","type":"function"}]}`,
		"result": `{"role":"tool","tool_call_id":"call_1%s","content":"x"}`,
	} {
		body := `{"model":"up","messages":[` + message + `]}`
		pieces, _, err := outbound.Build(chat(t, fmt.Sprintf(body, "__thought__QUJD")), "up", nil)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(body, ""), string(bytes.Join(pieces, nil)), name)
	}
}

func TestOutboundForReasoning(t *testing.T) {
	for name, tc := range map[string]struct{ wire, give, want string }{
		"as it is":     {`{"drop":["store"]}`, `"reasoning_effort":"low"`, `"reasoning_effort":"low"`},
		"other words":  {`{"values":{"reasoning_effort":{"minimal":"low"}}}`, `"reasoning_effort":"minimal"`, `"reasoning_effort":"low"`},
		"object":       {`{"reasoning":"reasoning_object"}`, `"reasoning_effort" : "low"`, `"reasoning":{"effort":"low"}`},
		"object, own":  {`{"reasoning":"reasoning_object"}`, `"reasoning_effort":"low","reasoning":{"exclude":true}`, `"reasoning":{"exclude":true}`},
		"switch":       {`{"reasoning":"reasoning_switch"}`, `"reasoning_effort":"low"`, `"reasoning":{"enabled":true}`},
		"switch, off":  {`{"reasoning":"reasoning_switch"}`, `"reasoning_effort":"none"`, `"reasoning":{"enabled":false}`},
		"thinking":     {`{"reasoning":"thinking_switch"}`, `"reasoning_effort":"high"`, `"thinking":{"type":"enabled"}`},
		"effort too":   {`{"reasoning":"thinking_effort","values":{"reasoning_effort":{"medium":"high"}}}`, `"reasoning_effort":"medium"`, `"thinking":{"type":"enabled"},"reasoning_effort":"high"`},
		"effort, own":  {`{"reasoning":"thinking_effort"}`, `"thinking":{"type":"x"},"reasoning_effort":"high"`, `"thinking":{"type":"x"},"reasoning_effort":"high"`},
		"effort, off":  {`{"reasoning":"thinking_effort"}`, `"reasoning_effort":"none"`, `"thinking":{"type":"disabled"}`},
		"object, null": {`{"reasoning":"reasoning_object"}`, `"x":1,"reasoning_effort":null`, `"x":1`},
	} {
		pieces, dropped, err := outbound.Build(chat(t, `{"model":"auto",`+tc.give+`,`+user+`}`), "up", wire(t, tc.wire))
		require.NoError(t, err)
		require.Equal(t, `{"model":"up",`+tc.want+`,`+user+`}`, string(bytes.Join(pieces, nil)), name)
		require.Empty(t, dropped, name)
	}
}

func TestOutboundForRejects(t *testing.T) {
	w := wire(t, `{"refuse":["n","tools","logprobs","response_format"]}`)
	for give, param := range map[string]string{
		`"n":2`: "n", `"logprobs":true`: "logprobs", `"tools":[{"type":"function"}]`: "tools", `"response_format":{"type":"json_object"}`: "response_format",
	} {
		_, _, err := outbound.Build(chat(t, `{"model":"auto",`+give+`,`+user+`}`), "up", w)
		require.True(t, apperr.Is(err, apperr.UnsupportedParameter), "%v", err)
		require.Equal(t, param, apperr.From(err).Details["param"])
		require.Contains(t, err.Error(), param)
	}
}

func TestOutboundForEmbeddings(t *testing.T) {
	w := wire(t, `{"drop":["user"],"rename":{"dimensions":"output_dimension"}}`)
	r, err := requestbody.ParseEmbeddings([]byte(`{"user":"u","model":"e","encoding_format":"base64","input":"x","dimensions":3}`))
	require.NoError(t, err)
	pieces, dropped, err := outbound.Build(r, "up", w)
	require.NoError(t, err)
	require.Equal(t, `{"model":"up","encoding_format":"float","input":"x","output_dimension":3}`, string(bytes.Join(pieces, nil)))
	require.Equal(t, []string{"user"}, dropped)

	cat, err := catalog.Load()
	require.NoError(t, err)
	voyage, _ := cat.Provider("voyage")
	for _, format := range []string{`"float"`, `"base64"`, `null`} {
		r, err := requestbody.ParseEmbeddings([]byte(`{"model":"e","encoding_format":` + format + `,"input":"x"}`))
		require.NoError(t, err)
		pieces, dropped, err := outbound.Build(r, "up", voyage.Wire)
		require.NoError(t, err)
		require.Equal(t, `{"model":"up","input":"x"}`, string(bytes.Join(pieces, nil)))
		require.Empty(t, dropped, "the client has its %s from us", format)
	}
}

// Clients send our responses back as history. An upstream that rejects unknown
// members must not receive members that we added.
func TestResponseCanBeSentBack(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	answer, err := normalize.Chat([]byte(`{"choices":[{"message":{"role":"assistant","content":"x","annotations":[],"audio":null,"function_call":null,"reasoning_content":"r"},"finish_reason":"stop"}]}`), normalize.Options{})
	require.NoError(t, err)
	var body struct {
		Choices []struct{ Message json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(answer.Body, &body))
	for _, id := range []string{"mistral", "groq", "cerebras"} {
		p, _ := cat.Provider(id)
		for message, noted := range map[string][]string{
			string(body.Choices[0].Message): {"messages[].reasoning_content"},
			`{"role":"assistant","content":"x","refusal":"no","annotations":[{"type":"url_citation"}],"audio":{"id":"a"},"function_call":{"name":"f"}}`: {
				"messages[].annotations", "messages[].audio", "messages[].function_call", "messages[].refusal",
			},
		} {
			pieces, dropped, err := outbound.Build(chat(t, `{"model":"auto","messages":[`+message+`,{"role":"user","content":"y"}]}`), "up", p.Wire)
			require.NoError(t, err)
			require.Equal(t, `{"model":"up","messages":[{"role":"assistant","content":"x"},{"role":"user","content":"y"}]}`, string(bytes.Join(pieces, nil)), id)
			require.ElementsMatch(t, noted, dropped, id)
		}
	}
}

// A service tier without a price in the catalog is rejected. The usual ones pass.
func TestTiersOfUnknownPriceAreRejected(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	for _, id := range []string{"openai", "azure"} {
		p, _ := cat.Provider(id)
		for _, tier := range []string{"flex", "priority", "scale"} {
			_, _, err := outbound.Build(chat(t, `{"model":"auto","service_tier":"`+tier+`",`+user+`}`), "up", p.Wire)
			require.True(t, apperr.Is(err, apperr.UnsupportedParameter), "%v", err)
			require.Equal(t, "service_tier", apperr.From(err).Details["param"])
		}
		for _, tier := range []string{`"auto"`, `"default"`, `"standard"`, `null`} {
			pieces, dropped, err := outbound.Build(chat(t, `{"model":"auto","service_tier":`+tier+`,`+user+`}`), "up", p.Wire)
			require.NoError(t, err)
			require.Equal(t, `{"model":"up","service_tier":`+tier+`,`+user+`}`, string(bytes.Join(pieces, nil)))
			require.Empty(t, dropped)
		}
	}
}
