package emulate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

var options = emulate.Options{}

const (
	openTool   = `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`
	calledTool = `{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
)

func TestOpenAIRefuses(t *testing.T) {
	newOpenAI(t, options).refuses(t, []refusalDetails{
		{"unknown field", `{"top_k":3}`, "Unknown parameter: 'top_k'."},
		{"unknown field of a message", `{"messages":[{"role":"user","content":"x","reasoning_content":"y"}]}`, "Unknown parameter"},
		{"wrong type", `{"n":"2"}`, "Invalid type for 'n'."},
		{"no model", `{"model":null}`, "you must provide a model parameter"},
		{"no messages", `{"messages":null}`, "Missing required parameter: 'messages'."},
		{"empty messages", `{"messages":[]}`, "empty array"},
		{"role", `{"messages":[{"role":"robot","content":"x"}]}`, "Invalid value: 'robot'."},
		{"null content", `{"messages":[{"role":"user","content":null}]}`, "expected a string, got null"},
		{"part", `{"messages":[{"role":"user","content":[{"type":"image"}]}]}`, "Invalid value: 'image'."},
		{"image", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"ftp://a"}}]}]}`, "invalid_image_url"},
		{"result of nothing", `{"messages":[{"role":"tool","tool_call_id":"c1","content":"x"}]}`, "must be a response to a preceeding message"},
		{"call without result", `{"messages":[` + calledTool + `]}`, "did not have response messages: c1"},
		{"call with another answer", `{"messages":[` + calledTool + `,{"role":"user","content":"x"}]}`, "did not have response messages: c1"},
		{"temperature", `{"temperature":2.5}`, "decimal_above_max_value"},
		{"penalty", `{"presence_penalty":-3}`, "decimal_below_min_value"},
		{"n", `{"n":0}`, `"param":"n"`},
		{"no output", `{"max_tokens":0}`, "integer below minimum value"},
		{"two limits", `{"max_tokens":5,"max_completion_tokens":5}`, "at the same time"},
		{"stops", `{"stop":["a","b","c","d","e"]}`, "maximum length 4"},
		{"top_logprobs alone", `{"top_logprobs":2}`, "requires logprobs"},
		{"stream options alone", `{"stream_options":{"include_usage":true}}`, "only allowed when 'stream' is enabled"},
		{"tool name", `{"tools":[` + strings.Replace(openTool, `"f"`, `"a b"`, 1) + `]}`, "does not match pattern"},
		{"tool schema", `{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"string"}}}]}`, "invalid_function_parameters"},
		{"strict tool", `{"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object"}}}]}`, "additionalProperties"},
		{"choice without tools", `{"tool_choice":"required"}`, "only allowed when 'tools' are specified"},
		{"parallel without tools", `{"parallel_tool_calls":false}`, "only allowed when 'tools' are specified"},
		{"json without the word", `{"response_format":{"type":"json_object"}}`, "must contain the word 'json'"},
		{"open schema", `{"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}}}`, "additionalProperties"},
		{"effort of one that does not think", `{"reasoning_effort":"low"}`, "unsupported_parameter"},
		{"max_tokens of one that thinks", `{"model":"gpt-5","max_tokens":5}`, "Use 'max_completion_tokens' instead"},
		{"temperature of one that thinks", `{"model":"o3","temperature":0}`, "unsupported_value"},
		{"temperature while it thinks", `{"model":"gpt-5.4","temperature":0,"reasoning_effort":"low"}`, "unsupported_value"},
		{"stop of one that thinks", `{"model":"gpt-5-mini","stop":"x"}`, `"param":"stop"`},
	})
	v := newOpenAI(t, options)
	res, body, err := v.call(t, v.with(t, `{"model":"gpt-5.4","temperature":0}`))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, body)
	_, body, err = v.call(t, "{")
	require.NoError(t, err)
	require.Contains(t, body, "could not parse the JSON body")
}

func TestContextOverflow(t *testing.T) {
	o := emulate.Options{Context: 10}
	for name, v := range map[string]*vendor{"maximum context length is 10": newOpenAI(t, o), "> 10 maximum": newAnthropic(t, o), "allowed (10)": newGemini(t, o)} {
		res, body, err := v.call(t, v.saying(strings.Repeat("long ", 50)))
		require.NoError(t, err)
		require.Equal(t, 400, res.StatusCode)
		require.Contains(t, body, strings.ReplaceAll(name, ">", `\u003e`))
	}
}

func TestMistral(t *testing.T) {
	v := newOpenAI(t, emulate.Options{Strict: true, Models: []string{"mistral-large"}})
	v.body = strings.Replace(v.body, "gpt-4o", "mistral-large", 1)
	for field, want := range map[string]int{`"top_p":1`: 200, `"seed":1`: 422, `"user":"u"`: 422, `"whatever":1`: 422} {
		res, body, err := v.call(t, v.with(t, `{`+field+`}`))
		require.NoError(t, err)
		require.Equal(t, want, res.StatusCode)
		require.Equal(t, want == 422, strings.Contains(body, "extra_forbidden"))
	}
}

func TestAzureRoutes(t *testing.T) {
	v := newAzure(t, options)
	for path, want := range map[string]string{
		"/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21": "You said: hello",
		"/openai/deployments/gpt-4o/chat/completions":                        "Resource not found",
		"/openai/deployments/mine/chat/completions?api-version=2024-10-21":   "DeploymentNotFound",
	} {
		v.path = path
		_, body, err := v.call(t, v.body)
		require.NoError(t, err)
		require.Contains(t, body, want)
	}
	s := newAzure(t, options).streaming()
	_, body, err := s.call(t, s.body)
	require.NoError(t, err)
	first, _, _ := strings.Cut(body, "\n\n")
	require.Contains(t, first, `"choices":[]`)
	require.Contains(t, first, `"prompt_filter_results":[{`)
	require.Contains(t, body, `"content_filter_results"`)
}

func TestCachedPrefix(t *testing.T) {
	long := strings.Repeat("a", 8192)
	for name, v := range everyVendor(t) {
		if name == "anthropic" {
			continue // asks for it by marks, which the vendor's own library tests
		}
		for range 2 {
			_, _, err := v.call(t, v.saying(long))
			require.NoError(t, err)
		}
		book := v.Calls()
		require.Zero(t, book[0].Usage.CacheRead)
		require.EqualValues(t, 2048, book[1].Usage.CacheRead)
		require.Equal(t, book[0].Usage.Input, book[1].Usage.Input+book[1].Usage.CacheRead)
		_, body, err := v.call(t, v.saying(long+"more"))
		require.NoError(t, err)
		require.Regexp(t, `"(cached_tokens|cachedContentTokenCount)":2048`, body)
	}
}

func TestEmbeddingsOfOpenAI(t *testing.T) {
	v := newOpenAI(t, options)
	v.path, v.body = "/v1/embeddings", `{"model":"text-embedding-3-small","input":"hello","dimensions":3}`
	v.refuses(t, []refusalDetails{
		{"empty", `{"input":""}`, "empty string"},
		{"none", `{"input":[]}`, "is invalid"},
		{"dimensions", `{"dimensions":4000}`, "dimensions"},
		{"fixed dimensions", `{"model":"text-embedding-ada-002"}`, "does not support specifying dimensions"},
		{"chat model", `{"model":"gpt-4o"}`, "not allowed to generate embeddings"},
		{"format", `{"encoding_format":"hex"}`, "Supported values"},
	})
	for input, n := range map[string]int64{`"hello"`: 2, `["a","b"]`: 2, `[1,2,3]`: 3, `[[1],[2,3]]`: 3} {
		_, body, err := v.call(t, v.with(t, `{"input":`+input+`}`))
		require.NoError(t, err)
		var got struct {
			Data  []struct{ Embedding []float64 }
			Usage struct {
				Tokens int64 `json:"prompt_tokens"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(body), &got))
		require.Len(t, got.Data[0].Embedding, 3)
		require.Equal(t, n, got.Usage.Tokens)
	}
}
