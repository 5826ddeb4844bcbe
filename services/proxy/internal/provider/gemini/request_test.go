package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// indentJSON indents JSON and keeps the order of members.
func indentJSON(t *testing.T, text []byte) string {
	t.Helper()
	v := jsontext.Value(text)
	require.NoError(t, v.Indent(jsontext.WithIndent("  ")), "%s", text)
	return string(v) + "\n"
}

func chatCall(t testing.TB, members string, wire *catalog.Wire) provider.Call {
	t.Helper()
	if !strings.Contains(members, `"messages"`) {
		members += `,"messages":[{"role":"user","content":"hi"}]`
	}
	r, err := requestbody.ParseChat([]byte(`{"model":"auto",` + strings.TrimPrefix(members, ",") + `}`))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "gemini-x", Wire: wire, MaxOutputTokens: 8192}
}

// olderWire describes the deviations of models before the third generation.
var olderWire = &catalog.Wire{
	Reasoning: catalog.ThinkingBudget, FormatExcludesTools: true,
	Limits: map[string]catalog.Limit{"thinking_budget": {Min: "128", Max: "30000"}},
}

const (
	weather = `{"type":"function","function":{"name":"weather","description":"Tells \u00fc","strict":true,` +
		`"parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"const":1}},"required":["z"]}}}`
	clock = `{"type":"function","function":{"name":"clock"}}`
)

func TestRequests(t *testing.T) {
	tests := []struct {
		name string
		give string
		wire *catalog.Wire
	}{
		{"text", `"messages":[{"role":"user","content":"hi \u00e9\n"}]`, nil},
		{"system", `"messages":[{"role":"system","content":"be"},{"role":"user","content":"a"},
			{"role":"developer","content":[{"type":"text","text":"brief"}]},{"role":"user","content":"b"}]`, nil},
		{"only system", `"messages":[{"role":"system","content":"one"},{"role":"developer","content":"two"}]`, nil},
		{"turns", `"messages":[{"role":"user","content":"a","name":"ann"},{"role":"user","content":[{"type":"text","text":"b"},
			{"type":"text","text":""}]},{"role":"assistant","content":"c","refusal":"no"},{"role":"assistant","content":null},
			{"role":"assistant","content":[{"type":"refusal","refusal":"never"}]},{"role":"user","content":"d"}]`, nil},
		{"media", `"messages":[{"role":"user","content":[
			{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO\/w==","detail":"high"}},
			{"type":"image_url","image_url":"data:;base64,AA=="},
			{"type":"image_url","image_url":{"url":"https://example.com/a.webp?x=1","detail":"auto"}},
			{"type":"video_url","video_url":{"url":"https://example.com/film"}},
			{"type":"image_url","image_url":{"url":"data:text/plain;charset=utf-8,a%20b"}},
			{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}},
			{"type":"file","file":{"filename":"a.csv","file_data":"YSxi"}},
			{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBE"}},
			{"type":"file","file":{"file_id":"https://example.com/files/abc"}},
			{"type":"text","text":"see","cache_control":{"type":"ephemeral"}}]}]`, nil},
		{"tool round", `"messages":[{"role":"user","content":"weather?"},
			{"role":"assistant","content":"I look.","tool_calls":[
				{"id":"call_gen_r1_0__thought__AQID","type":"function","function":{"name":"weather","arguments":"{\"z\": 1.50,\"a\":[]}"}},
				{"id":"abc","type":"function","function":{"name":"clock","arguments":""}},
				{"id":"odd","type":"function","function":{"name":"clock","arguments":"not json"}}]},
			{"role":"tool","tool_call_id":"abc","content":"[1,2]"},
			{"role":"tool","tool_call_id":"call_gen_r1_0__thought__AQID","content":"{\"t\": 7}"},
			{"role":"tool","tool_call_id":"odd","content":[{"type":"text","text":"12","cache_control":{"type":"ephemeral"}},{"type":"text","text":" \"o'clock\""},
				{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
			{"role":"user","content":"and?"}]`, nil},
		{"signatures", `"messages":[{"role":"user","content":"x"},
			{"role":"assistant","content":"said","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"other"},
				{"type":"reasoning.encrypted","format":"google-gemini-v1","data":"c2ln"}],"tool_calls":[
				{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Zmly"}}},
				{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},
			{"role":"assistant","tool_calls":[{"id":"c__thought__!","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c__thought__!","content":"3"}]`, nil},
		{"older needs no signature", `"messages":[{"role":"user","content":"x"},
			{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"ok"}]`, olderWire},
		{"words between results", `"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[
			{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},
			{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"user","content":"well?"},{"role":"tool","tool_call_id":"a","content":"1"},
			{"role":"user","content":[{"type":"text","text":"go on"},{"type":"text","text":"please"}]},
			{"role":"tool","tool_call_id":"b","content":"2"},{"role":"user","content":"now"}]`, olderWire},
		{"words instead of results", `"messages":[{"role":"user","content":"x"},
			{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"user","content":"never mind"},{"role":"assistant","content":"as you like"},{"role":"user","content":"thanks"},
			{"role":"assistant","tool_calls":[{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"user","content":"stop"}]`, olderWire},
		{"members of messages", `"messages":[{"role":"user","content":"x","cache_control":{"type":"ephemeral"},"weight":null},
			{"role":"assistant","content":"y","reasoning_content":"hm","reasoning":"","annotations":[],"audio":null},
			{"role":"assistant","content":"z","annotations":[{"type":"url_citation"}]}]`, nil},
		{"members of tools", `"tools":[{"type":"function","function":{"name":"f","returns":1},"cache_control":{"type":"ephemeral"}}]`, nil},
		{"legacy functions", `"functions":[{"name":"f","parameters":{}}],"function_call":{"name":"f"},
			"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
			{"role":"function","name":"f","content":"done"}]`, nil},
		{"tools", `"tools":[` + weather + `,{"googleSearch":{}},` + clock + `],"parallel_tool_calls":false`, nil},
		{"tool choice auto", `"tools":[` + clock + `],"tool_choice":"auto","parallel_tool_calls":true`, nil},
		{"tool choice required", `"tools":[` + clock + `],"tool_choice":"required"`, nil},
		{"tool choice none", `"tools":[` + clock + `],"tool_choice":"none"`, nil},
		{"tool choice named", `"tools":[` + clock + `],"tool_choice":{"type":"function","function":{"name":"clock"}}`, nil},
		{"tool choice of several", `"tools":[` + weather + "," + clock + `],"toolConfig":{"retrievalConfig":{"languageCode":"de"}},
			"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto",
			"tools":[{"type":"function","function":{"name":"clock"}},{"type":"function","function":{"name":"weather"}}]}}`, nil},
		{"tool choice must be of several", `"tools":[` + weather + "," + clock + `],"tool_choice":{"type":"allowed_tools",
			"allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"clock"}}]}}`, nil},
		{"tool choice beside googles own", `"tools":[{"googleSearch":{}}],"tool_choice":"auto"`, nil},
		{"tool choice without tools", `"tool_choice":"auto"`, nil},
		{"sampling", `"temperature":0.70,"top_p":1,"top_k":40,"presence_penalty":-0.5,"frequency_penalty":0.5,"seed":7,"n":2,
			"max_tokens":99999,"stop":["a","","b"],"logprobs":true,"top_logprobs":3`, nil},
		{"large seed and one stop", `"seed":9223372036854775807,"stop":"\n\n","max_completion_tokens":10,"top_logprobs":2`, nil},
		{"json object", `"response_format":{"type":"json_object"}`, nil},
		{"json schema", `"tools":[` + clock + `],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{
			"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
				"zeta":{"type":["string","null"],"pattern":"^z","minLength":1,"description":"last first"},
				"alpha":{"$ref":"#/definitions/node"},"kind":{"const":"k","enum":["k"]},
				"pair":{"type":"array","items":[{"type":"number"},true],"default":[]},
				"any":{"anyOf":[{"type":"integer","exclusiveMinimum":0},{"allOf":[{"type":"boolean"}],"title":"T"}]}},
			"required":["zeta"],"additionalProperties":false,
			"definitions":{"node":{"type":"object","properties":{"next":{"$ref":"#/definitions/node"}}}}}}}`, nil},
		{"json beside an empty list of tools", `"tools":[],"functions":[],"response_format":{"type":"json_object"}`, olderWire},
		{"json beside tools not to be called", `"tools":[` + clock + `],"tool_choice":"none","response_format":{"type":"json_object"}`, olderWire},
		{"effort high", `"reasoning_effort":"high"`, nil},
		{"effort none", `"reasoning_effort":"none"`, nil},
		{"effort of fewer levels", `"reasoning_effort":"minimal"`, &catalog.Wire{
			Values: map[string]map[string]string{"reasoning_effort": {"minimal": "low"}}}},
		{"effort none of fewer levels", `"reasoning_effort":"none"`, &catalog.Wire{
			Values: map[string]map[string]string{"reasoning_effort": {"none": "low"}}}},
		{"effort of a model that has none", `"reasoning_effort":"low"`, &catalog.Wire{
			Values: map[string]map[string]string{"reasoning_effort": {"low": ""}}}},
		{"budget medium", `"reasoning_effort":"medium"`, olderWire},
		{"budget none", `"reasoning_effort":"none"`, olderWire},
		{"budget max", `"reasoning_effort":"max"`, olderWire},
		{"native", `"safetySettings":[{"category":"C","threshold":"OFF"}],"labels":{"a":"b"},
			"service_tier":"flex","temperature":1,"generationConfig":{"temperature":0,"mediaResolution":"LOW"},
			"tools":[` + clock + `],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`, nil},
		{"dropped", `"user":"u","store":true,"metadata":{"a":"b"},"logit_bias":{"1":2},"prediction":{"type":"content","content":"x"},
			"service_tier":"scale","modalities":["text"],"verbosity":"low","x y":1,"stream_options":null,"temperature":1`,
			&catalog.Wire{Drop: []string{"temperature"}}},
	}
	var names []string
	for _, tt := range tests {
		names = append(names, tt.name)
	}
	results := golden.OpenResults(t, "testdata/requests.txt", names)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := chatCall(t, tt.give, tt.wire)
			before := string(call.Request.Body)
			body, dropped, err := buildChatRequest(call, replaySignatures)
			require.NoError(t, err)
			require.True(t, json.Valid(body), "%s", body)
			require.Equal(t, before, string(call.Request.Body))
			results.Check(t, tt.name, indentJSON(t, body)+"dropped: "+strings.Join(dropped, ", ")+"\n")
		})
	}
}

func TestOmittedSignaturesAreReported(t *testing.T) {
	_, dropped, err := buildChatRequest(chatCall(t, `"messages":[{"role":"user","content":"x"},
		{"role":"assistant","content":"said","reasoning_details":[{"type":"reasoning.encrypted","format":"google-gemini-v1","data":"c2ln"}],
		"tool_calls":[{"id":"a__thought__AQID","type":"function","function":{"name":"f","arguments":"{}"}},
			{"id":"b","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Zmly"}}}]}]`,
		nil), omitSignatures)
	require.NoError(t, err)
	require.Equal(t, []string{
		"messages[].reasoning_details", "messages[].tool_calls[].extra_content", "messages[].tool_calls[].id",
	}, dropped)
}

func TestRejectedFields(t *testing.T) {
	schema := func(s string) string {
		return `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + s + `}}`
	}
	part := func(s string) string { return `"messages":[{"role":"user","content":[` + s + `]}]` }
	for _, tt := range []struct {
		param, give string
		wire        *catalog.Wire
	}{
		{"audio", `"modalities":["text","audio"],"audio":{"voice":"x"}`, &catalog.Wire{Drop: []string{"modalities"}}},
		{"modalities", `"modalities":["text","audio"]`, nil},
		{"web_search_options", `"web_search_options":{}`, nil},
		{"stop", `"stop":["1","2","3","4","5","6"]`, nil},
		{"reasoning_effort", `"reasoning_effort":"extreme"`, nil},
		{"tools", `"tools":[{"type":"custom","custom":{"name":"x"}}]`, nil},
		{"tool_choice", `"tools":[` + clock + `],"tool_choice":"sometimes"`, nil},
		{"tool_choice", `"tools":[` + clock + `],"tool_choice":{"type":"custom"}`, nil},
		{"response_format", `"response_format":{"type":"grammar"}`, nil},
		{"response_format", `"tools":[` + clock + `],"response_format":{"type":"json_object"}`, olderWire},
		{schemaPath + ".allOf", schema(`{"allOf":[{},{}]}`), nil},
		{schemaPath + ".not", schema(`{"properties":{"a":{"not":{}}}}`), nil},
		{"messages[0].role", `"messages":[{"role":"oracle","content":"x"}]`, nil},
		{"messages[0].content", part(`{"type":"hologram","hologram":{}}`), nil},
		{"messages[0].content.image_url", part(`{"type":"image_url","image_url":{"url":"ftp://x/y"}}`), nil},
		{"messages[0].content.image_url", part(`{"type":"image_url","image_url":{"url":"gs://bucket/a"}}`), nil},
		{"messages[0].content.image_url", part(`{"type":"image_url","image_url":{"url":"https://Generativelanguage.googleapis.com./v1beta/files/1"}}`), nil},
		{"messages[0].content.file", part(`{"type":"file","file":{"file_data":"https://eu.generativelanguage.googleapis.com/v1beta/files/1"}}`), nil},
		{"messages[0].content.file", part(`{"type":"file","file":{"file_data":"https:generativelanguage.googleapis.com/v1beta/files/1"}}`), nil},
		{"messages[0].content.file", part(`{"type":"file","file":{"file_id":"file-abc"}}`), nil},
		{"messages[0].content.input_audio", part(`{"type":"input_audio","input_audio":{"data":"AA=="}}`), nil},
		{"messages[0].tool_call_id", `"messages":[{"role":"tool","tool_call_id":"x","content":"y"}]`, nil},
		{"messages[0].audio", `"messages":[{"role":"assistant","audio":{"id":"audio_1"}}]`, nil},
		{"messages[0].tool_calls", `"messages":[{"role":"assistant","tool_calls":[{"id":"x","type":"custom","custom":{}}]}]`, nil},
		{"parallel_tool_calls", `"parallel_tool_calls":false`, &catalog.Wire{Reject: []string{"parallel_tool_calls"}}},
		{"seed", `"seed":1`, &catalog.Wire{Reject: []string{"seed"}}},
		{"service_tier", `"service_tier":"flex"`, &catalog.Wire{AllowedValues: map[string][]string{"service_tier": {"auto"}}}},
		{"tools", `"tools":[{"googleSearch":{}}]`, &catalog.Wire{AllowedValues: map[string][]string{"tools": {"codeExecution"}}}},
	} {
		_, _, err := buildChatRequest(chatCall(t, tt.give, tt.wire), replaySignatures)
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err), tt.give)
		require.Equal(t, tt.param, apperr.From(err).Details["param"])
	}
	for _, give := range []string{`"logprobs":false`, `"n":1`, `"temperature":1.0`, `"response_format":{"type": "text"}`, `"tools":[]`} {
		wire := &catalog.Wire{Reject: []string{"logprobs", "n", "temperature", "response_format", "tools"}}
		_, _, err := buildChatRequest(chatCall(t, give, wire), replaySignatures)
		require.NoError(t, err, "%s asks for nothing", give)
	}
}
