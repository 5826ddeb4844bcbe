package emulate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	asked    = `{"role":"user","parts":[{"text":"x"}]}`
	invoked  = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}`
	answered = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"y"}}}]}`
)

func declared(d string) string { return `{"tools":[{"functionDeclarations":[` + d + `]}]}` }

func TestGeminiRefuses(t *testing.T) {
	newGemini(t, options).refuses(t, []refusalDetails{
		{"unknown field", `{"stream":true}`, `Unknown name \"stream\": Cannot find field.`},
		{"unknown field of the config", `{"generationConfig":{"max_tokens":3}}`, "Cannot find field"},
		{"no contents", `{"contents":[]}`, "contents is not specified"},
		{"role", `{"contents":[{"role":"assistant","parts":[{"text":"x"}]}]}`, "Please use a valid role: user, model."},
		{"no parts", `{"contents":[{"role":"user","parts":[]}]}`, "contents.parts must not be empty"},
		{"empty part", `{"contents":[{"role":"user","parts":[{}]}]}`, "required oneof field 'data'"},
		{"answer to nothing", `{"contents":[` + asked + `,` + answered + `]}`, "function response turn comes immediately after a function call turn"},
		{"too few answers", `{"contents":[` + asked + `,` + invoked + `,` + asked + `]}`, "number of function response parts is equal"},
		{"no answer", `{"contents":[` + asked + `,` + invoked + `]}`, "comes immediately after"},
		{"response", `{"contents":[` + asked + `,` + invoked + `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":"y"}}]}]}`, "google.protobuf.Struct"},
		{"no signature", `{"contents":[` + asked + `,` + strings.Replace(invoked, `,"thoughtSignature":"skip_thought_signature_validator"`, "", 1) + `,` + answered + `]}`, "missing a thought_signature in functionCall parts"},
		{"wrong signature", `{"contents":[` + asked + `,` + strings.Replace(invoked, "skip_thought_signature_validator", "AAAA", 1) + `,` + answered + `]}`, "Corrupted thought signature."},
		{"function name", declared(`{"name":"1 f"}`), "Invalid function name"},
		{"same function twice", declared(`{"name":"f"},{"name":"f"}`), "Duplicate function declaration"},
		{"two schemas", declared(`{"name":"f","parameters":{"type":"OBJECT"},"parametersJsonSchema":{"type":"object"}}`), "only one of"},
		{"JSON schema as Google's", declared(`{"name":"f","parameters":{"type":"object","additionalProperties":false}}`), `Unknown name \"additionalProperties\"`},
		{"mode", `{"toolConfig":{"functionCallingConfig":{"mode":"required"}}}`, "Invalid value at 'tool_config"},
		{"names without ANY", `{"toolConfig":{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["f"]}}}`, "only be set when function calling mode is ANY"},
		{"temperature", `{"generationConfig":{"temperature":3}}`, "temperature must be in the range"},
		{"stops", `{"generationConfig":{"stopSequences":["a","b","c","d","e","f"]}}`, "only 5 stop sequences"},
		{"schema without type", `{"generationConfig":{"responseJsonSchema":{"type":"object"}}}`, "response_mime_type"},
		{"budget and level", `{"generationConfig":{"thinkingConfig":{"thinkingBudget":512,"thinkingLevel":"LOW"}}}`, "only one of thinking budget and thinking level"},
		{"level", `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"XHIGH"}}}`, "Invalid value at 'generation_config"},
		{"image", `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"!"}}]}]}`, "Unable to process input image"},
	})
	v := newGemini(t, options)
	v.path = "/v1beta/models/gemini-2.5-pro:generateContent"
	v.refuses(t, []refusalDetails{
		{"level of an old one", `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`, "Thinking level is not supported"},
		{"no thinking", `{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`, "only works in thinking mode"},
		{"tools and JSON", strings.TrimSuffix(declared(`{"name":"f"}`), "}") + `,"generationConfig":{"responseMimeType":"application/json"}}`, "Function calling with a response mime type"},
	})
}

func TestGeminiTakesBothSpellings(t *testing.T) {
	v := newGemini(t, options)
	_, body, err := v.call(t, v.with(t, `{"generation_config":{"max_output_tokens":3,"thinking_config":{"include_thoughts":true}}}`))
	require.NoError(t, err)
	require.Contains(t, body, `"finishReason":"MAX_TOKENS"`)
}

// Without alt=sse a stream is one array, even if it ends with an error.
func TestGeminiArray(t *testing.T) {
	v := newGemini(t, options)
	v.path = strings.Replace(v.path, "generateContent", "streamGenerateContent", 1)
	v.Fail("", "error=1")
	for _, last := range []string{"finishReason", "error"} {
		_, body, err := v.call(t, v.body)
		require.NoError(t, err)
		var chunks []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &chunks), body)
		require.Contains(t, string(chunks[len(chunks)-1]), last)
	}
}

func TestGeminiEmbeddings(t *testing.T) {
	v := newGemini(t, options)
	v.path, v.body = "/v1beta/models/gemini-embedding-001:batchEmbedContents", `{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"hello"}]}}]}`
	one := strings.TrimSuffix(strings.TrimPrefix(v.body, `{"requests":[`), `]}`)
	v.refuses(t, []refusalDetails{
		{"none", `{"requests":[]}`, "must not be empty"},
		{"too many", `{"requests":[` + strings.Repeat(one+",", 100) + one + `]}`, "at most 100"},
		{"another model", `{"requests":[` + strings.Replace(one, "-001", "-002", 1) + `]}`, "must match"},
		{"size", `{"requests":[` + strings.Replace(one, "{", `{"outputDimensionality":4000,`, 1) + `]}`, "output_dimensionality"},
	})
	book := v.Calls()
	require.EqualValues(t, 2, book[0].Usage.Input)
}
