package outbound_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// parseGemini parses a request that does not stream.
func parseGemini(body []byte) (*requestbody.Request, error) {
	return requestbody.ParseGenerateContent(body, "auto", false)
}

var nativeParsers = map[string]func([]byte) (*requestbody.Request, error){
	"responses": requestbody.ParseResponses, "messages": requestbody.ParseMessages, "gemini": parseGemini,
}

func TestNativeRules(t *testing.T) {
	for name, tt := range map[string]struct {
		protocol, wire, body, want string
		dropped                    []string
	}{
		"nothing to do": {
			"responses", `{"rename":{"max_output_tokens":"x"},"roles":{"developer":"system"},"add":{"y":1},"drop_empty":true}`,
			`{ "model" : "auto","input":"hi","tools":[],"max_output_tokens":5 }`, `{ "model" : "up","input":"hi","tools":[],"max_output_tokens":5 }`, nil,
		},
		"dropped fields": {
			"responses", `{"drop":["temperature","verbosity","reasoning.summary","truncation"]}`,
			`{"temperature":0.2, "model":"auto","text":{"verbosity":"low"},"reasoning":{"effort":"low","summary":"auto"},"input":"hi","truncation":"auto"}`,
			`{"model":"up","text":{},"reasoning":{"effort":"low"},"input":"hi"}`, []string{"temperature", "text.verbosity", "reasoning.summary", "truncation"},
		},
		"defaults are dropped silently": {
			"responses", `{"drop":["temperature"],"refuse":["top_logprobs"]}`,
			`{"model":"auto","input":"hi","temperature":1.0,"top_logprobs":0}`, `{"model":"up","input":"hi"}`, nil,
		},
		"fields that stay": {
			"responses", `{"drop":["store"]}`, `{"model":"auto","input":"hi","store":false}`, `{"model":"up","input":"hi","store":false}`, nil,
		},
		"values and limits": {
			"responses", `{"values":{"reasoning_effort":{"minimal":"low"}},"limits":{"max_tokens":{"max":"100"},"temperature":{"max":"1"}}}`,
			`{"model":"auto","input":"hi","reasoning":{"effort":"minimal"},"max_output_tokens":200,"temperature":1.5}`,
			`{"model":"up","input":"hi","reasoning":{"effort":"low"},"max_output_tokens":100,"temperature":1}`, []string{"max_output_tokens", "temperature"},
		},
		"removed value": {
			"responses", `{"values":{"reasoning_effort":{"none":""}}}`,
			`{"model":"auto","input":"hi","reasoning":{"effort":"none"}}`, `{"model":"up","input":"hi","reasoning":{}}`, []string{"reasoning.effort"},
		},
		"allowed value": {
			"responses", `{"only":{"service_tier":["auto"],"tools":["x"]}}`,
			`{"model":"auto","input":"hi","service_tier":"auto","tools":[{"type":"web_search"}]}`, `{"model":"up","input":"hi","service_tier":"auto","tools":[{"type":"web_search"}]}`, nil,
		},
		"messages": {
			"messages", `{"drop":["temperature","stop","user"],"limits":{"max_completion_tokens":{"max":"100"}},"values":{"reasoning_effort":{"xhigh":"high"}}}`,
			`{"model":"auto","max_tokens":200,"temperature":0.5,"stop_sequences":["x"],"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"u"},"output_config":{"effort":"xhigh"}}`,
			`{"model":"up","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"metadata":{},"output_config":{"effort":"high"}}`,
			[]string{"max_tokens", "temperature", "stop_sequences", "metadata.user_id"},
		},
		"gemini": {
			"gemini", `{"drop":["temperature","top_k"],"limits":{"max_tokens":{"max":"100"}}}`,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"temperature":0.5,"topK":3,"maxOutputTokens":200,"topP":0.5}}`,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"maxOutputTokens":100,"topP":0.5}}`,
			[]string{"generationConfig.temperature", "generationConfig.topK", "generationConfig.maxOutputTokens"},
		},
		"gemini in snake_case": {
			"gemini", `{"drop":["top_k"]}`,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generation_config":{"top_k":3,"top_p":0.5}}`,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generation_config":{"top_p":0.5}}`, []string{"generationConfig.topK"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := nativeParsers[tt.protocol]([]byte(tt.body))
			require.NoError(t, err)
			pieces, dropped, err := outbound.BuildNative(r, "up", wire(t, tt.wire))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(bytes.Join(pieces, nil)))
			require.Equal(t, tt.dropped, dropped)
			require.Equal(t, tt.body, string(r.Body), "the client's body stays as it is")
		})
	}
}

func TestNativeRefusals(t *testing.T) {
	for param, tt := range map[string]struct{ protocol, wire, body string }{
		"reasoning.effort":               {"responses", `{"refuse":["reasoning_effort"]}`, `{"model":"auto","input":"hi","reasoning":{"effort":"low"}}`},
		"service_tier":                   {"responses", `{"only":{"service_tier":["auto"]}}`, `{"model":"auto","input":"hi","service_tier":"flex"}`},
		"serviceTier":                    {"gemini", `{"only":{"service_tier":["standard"]}}`, `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"serviceTier":"flex"}`},
		"generationConfig.stopSequences": {"gemini", `{"refuse":["stop"]}`, `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"stopSequences":["x"]}}`},
	} {
		r, err := nativeParsers[tt.protocol]([]byte(tt.body))
		require.NoError(t, err)
		_, _, err = outbound.BuildNative(r, "up", wire(t, tt.wire))
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
		require.Equal(t, param, apperr.From(err).Details["param"])
	}
}

// FuzzNative builds bodies of every protocol for upstreams with rules. The result is valid JSON,
// and members that no rule names are the client's, byte for byte.
func FuzzNative(f *testing.F) {
	for _, body := range []string{
		`{"model":"auto","input":"hi","temperature":0.5,"reasoning":{"effort":"low","summary":"auto"},"text":{"verbosity":"low"},"user":"u"}`,
		`{"temperature":0.5,"model":"auto","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"metadata":{"user_id":"u"},"top_k":1}`,
		`{"generationConfig":{"temperature":1,"topK":2,"maxOutputTokens":7},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	} {
		f.Add([]byte(body))
	}
	named := []string{"model", "temperature", "user", "reasoning", "text", "metadata", "generationConfig", "generation_config", "output_config", "max_tokens", "max_output_tokens"}
	rules := &catalog.Wire{
		Drop: []string{"temperature", "user", "verbosity"}, Values: map[string]map[string]string{"reasoning_effort": {"low": "", "high": "max"}},
		Limits: map[string]catalog.Limit{"max_tokens": {Max: "6"}},
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, parse := range nativeParsers {
			r, err := parse(body)
			if err != nil {
				continue
			}
			pieces, _, err := outbound.BuildNative(r, "up", rules)
			require.NoError(t, err)
			out := bytes.Join(pieces, nil)
			require.True(t, jsontext.Value(out).IsValid(), "%s", out)
			require.Equal(t, others(t, body, named), others(t, out, named), "%s", out)
			plain, dropped, err := outbound.BuildNative(r, "up", nil)
			require.NoError(t, err)
			require.Empty(t, dropped)
			require.Equal(t, bytes.Join(outbound.ReplaceModel(r, "up"), nil), bytes.Join(plain, nil))
			require.False(t, slices.Contains(dropped, "model"))
		}
	})
}
