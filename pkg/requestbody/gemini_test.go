package requestbody_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

func generate(t *testing.T, body string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseGenerateContent([]byte(body), "gemini-2.5-pro", true)
	require.NoError(t, err)
	return r
}

// ask wraps members into an otherwise complete generateContent body.
func ask(members string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]` + members + `}`
}

// parts returns a body with one user content.
func parts(list string) string { return `{"contents":[{"parts":[` + list + `]}]}` }

// toolLoop is a conversation in the form in which Gemini CLI sends it: parts before roles.
const toolLoop = `{"contents":[
	{"parts":[{"text":"context"},{"text":"list the files"}],"role":"user"},
	{"parts":[{"text":"I look","thought":true},{"functionCall":{"name":"ls","args":{"path":"."},"id":"a"}},{"functionCall":{"name":"ls","args":{"path":"src"}}}],"role":"model"},
	{"parts":[{"functionResponse":{"id":"made-up","name":"ls","response":{"output":"main.go"}}},{"functionResponse":{"id":"a","name":"ls","response":{"output":""}}}],"role":"user"}],
	"systemInstruction":{"parts":[{"text":"You are an agent."}],"role":"user"},
	"tools":[{"functionDeclarations":[{"name":"ls","description":"list","parametersJsonSchema":{"type":"object"}},{"name":"cat","description":"read"}]},{"googleSearch":{}}],
	"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},
	"generationConfig":{"temperature":1,"topP":0.95,"topK":64,"maxOutputTokens":8192,"candidateCount":1,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}},
	"labels":{"team":"infra"}}`

func TestParseGenerateContentExtractsRoutingInputs(t *testing.T) {
	r := generate(t, toolLoop)
	require.Equal(t, catalog.Chat, r.Kind)
	require.Equal(t, requestbody.Gemini, r.Protocol)
	require.Equal(t, "gemini-2.5-pro", r.Model)
	require.True(t, r.Stream)
	require.True(t, r.IncludeUsage)
	require.EqualValues(t, 8192, r.MaxOutputTokens)
	require.Equal(t, []catalog.Capability{catalog.Tools}, r.RequiredCapabilities)
	require.EqualValues(t, 4, r.Features.GetOrZero("messages"))
	require.EqualValues(t, 1, r.Features.GetOrZero("turns"), "function responses are no user turn")
	require.EqualValues(t, 2, r.Features.GetOrZero("tools"))
	require.EqualValues(t, len("context")+len("list the files"), r.Features.GetOrZero("user_bytes"))
	require.Equal(t, "context\nlist the files", r.Excerpt(100))
	require.Equal(t, map[string]string{"team": "infra"}, r.Metadata)
	require.Empty(t, r.NativeOnly)
	require.NotZero(t, r.ConversationID())
	require.NotNil(t, r.FindMember("generationConfig"))
}

// The estimate is the same as for the same conversation in the chat format, within the
// difference of the wrapping.
func TestGeminiTokensMatchChat(t *testing.T) {
	text := strings.Repeat("The signal at the junction shows clear. ", 200)
	r := generate(t, `{"contents":[{"role":"user","parts":[{"text":"`+text+`"}]}],"systemInstruction":{"parts":{"text":"be brief"}}}`)
	c := chat(t, `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"`+text+`"}]}`)
	require.Equal(t, c.InputTokens, r.InputTokens)
	require.Equal(t, c.Features.GetOrZero("text_bytes"), r.Features.GetOrZero("text_bytes"))
	const gif = "R0lGODlhAQABAAAAACw="
	image := generate(t, parts(`{"text":"hi"},{"inlineData":{"mimeType":"image/gif","data":"`+gif+`"}}`))
	require.EqualValues(t, 8+255, image.InputTokens)
	require.Equal(t, []catalog.Capability{catalog.Vision}, image.RequiredCapabilities)
}

// Google documents snake_case, and single objects in place of arrays.
func TestGeminiSpellings(t *testing.T) {
	r := generate(t, `{"contents":{"parts":{"text":"hi"}},"system_instruction":{"parts":{"text":"be brief"}},
		"tools":{"function_declarations":{"name":"f","parameters":{"type":"OBJECT"}}},
		"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["f"]}},
		"generation_config":{"max_output_tokens":5,"top_p":1,"response_mime_type":"application/json","response_schema":{"type":"STRING"},"thinking_config":{"thinking_budget":-1}},
		"safety_settings":[],"cached_content":null}`)
	require.EqualValues(t, 5, r.MaxOutputTokens)
	require.Equal(t, []catalog.Capability{catalog.Tools, catalog.JSONSchema}, r.RequiredCapabilities)
	require.Equal(t, "hi", r.Excerpt(10))
}

func TestGeminiNativeOnly(t *testing.T) {
	state := requestbody.GeminiStatePrefix + "In0="
	for give, want := range map[string][]string{
		`{"text":"a","thoughtSignature":"AQID"}`:                                                                      {"signature"},
		`{"text":"a","thoughtSignature":"` + state + `"}`:                                                             nil,
		`{"text":"a","thought_signature":"skip_thought_signature_validator"}`:                                         nil,
		`{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x"}}`:                         {"file_id"},
		`{"fileData":{"mimeType":"image/png","fileUri":"https://example.com/x.png"}}`:                                 nil,
		`{"fileData":{"mimeType":"video/mp4","fileUri":"https://www.youtube.com/watch?v=x"}}`:                         {"file_uri"},
		`{"fileData":{"mimeType":"image/png","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x"}}`:  {"file_id"},
		`{"fileData":{"mimeType":"image/png","fileUri":"HTTPS://Generativelanguage.GoogleAPIs.com./v1beta/files/x"}}`: {"file_id"},
		`{"fileData":{"mimeType":"image/png","fileUri":"gs://bucket/x"}}`:                                             {"file_id"},
		`{"fileData":{"mimeType":"image/png","fileUri":"files/x"}}`:                                                   {"file_id"},
		`{"executableCode":{"code":"1"}},{"codeExecutionResult":{"output":"1"}}`:                                      {"code_execution"},
		`{"inlineData":{"mimeType":"video/mp4","data":"AA=="},"videoMetadata":{"fps":1}}`:                             {"video"},
		`{"toolCall":{}}`:              {"part"},
		`{"text":"a","futureHint":{}}`: nil,
	} {
		require.Equal(t, want, generate(t, parts(give)).NativeOnly, give)
	}
	picture := turns(`{"inlineData":{"mimeType":"image/png","data":"AA=="}}`, `,{"role":"user","parts":[{"text":"now in blue"}]}`)
	require.Equal(t, []string{"model_media"}, generate(t, picture).NativeOnly)
	require.True(t, generate(t, parts(`{"text":"a","thoughtSignature":"`+state+`"}`)).HasGatewayState)
	for give, want := range map[string][]string{
		`,"cachedContent":"cachedContents/x"`:                         {"cached_content"},
		`,"generationConfig":{"responseModalities":["TEXT","IMAGE"]}`: {"modality"},
		`,"generationConfig":{"responseModalities":["TEXT"]}`:         nil,
		`,"generationConfig":{"responseMimeType":"text/x.enum"}`:      {"response_type"},
		`,"tools":[{"googleSearch":{}},{"codeExecution":{}}]`:         nil,
		`,"tools":[{"fileSearch":{"fileSearchStoreNames":["s"]}}]`:    {"file_search"},
		`,"tools":[{"functionDeclarations":[]},{"computerUse":{}}]`:   {"server_tool"},
	} {
		require.Equal(t, want, generate(t, ask(give)).NativeOnly, give)
	}
}

func TestGeminiRequiredCapabilities(t *testing.T) {
	for give, want := range map[string][]catalog.Capability{
		`,"generationConfig":{"responseMimeType":"application/json"}`:                         {catalog.JSONObject},
		`,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{}}`: {catalog.JSONSchema},
		`,"generationConfig":{"responseLogprobs":true,"logprobs":3,"candidateCount":2}`:       {catalog.Logprobs, catalog.Choices},
		`,"tools":[{"googleSearch":{}}]`:                                                      nil,
	} {
		require.Equal(t, want, generate(t, ask(give)).RequiredCapabilities, give)
	}
	media := parts(`{"inlineData":{"mimeType":"audio/wav","data":"AA=="}},{"inlineData":{"mimeType":"application/pdf","data":"AA=="}}`)
	require.Equal(t, []catalog.Capability{catalog.Audio, catalog.Files}, generate(t, media).RequiredCapabilities)
}

// turns returns a body with a model turn and the contents after it.
func turns(model, after string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[` + model + `]}` + after + `]}`
}

func TestParseGenerateContentRejects(t *testing.T) {
	const call = `{"functionCall":{"name":"f","args":{}}}`
	response := func(members string) string {
		return `,{"role":"user","parts":[{"functionResponse":{` + members + `}}]}`
	}
	for _, tc := range []struct{ give, param string }{
		{`{}`, "contents"},
		{`{"messages":[{"role":"user","content":"hi"}]}`, "contents"},
		{`{"contents":null}`, "contents"},
		{`{"contents":[]}`, "contents"},
		{`{"contents":"hi"}`, "contents"},
		{`{"contents":["hi"]}`, "contents[0]"},
		{`{"contents":[{"role":"user"}]}`, "contents[0].parts"},
		{`{"contents":[{"parts":[]}]}`, "contents[0].parts"},
		{`{"contents":{"parts":"x"}}`, "contents.parts"},
		{`{"contents":[{"parts":[{"text":"a"}]},{"role":"assistant","parts":[{"text":"a"}]}]}`, "contents[1].role"},
		{parts(`{"text":"a"},"b"`), "contents[0].parts[1]"},
		{parts(`{}`), "contents[0].parts[0]"},
		{parts(`{"text":1}`), "contents[0].parts[0].text"},
		{parts(`{"text":"a","inlineData":{"data":"AA=="}}`), "contents[0].parts[0]"},
		{parts(`{"inlineData":{"mimeType":"image/png"}}`), "contents[0].parts[0].inlineData.data"},
		{parts(`{"inlineData":{"mimeType":1,"data":"AA=="}}`), "contents[0].parts[0].inlineData.mimeType"},
		{parts(`{"fileData":{"mimeType":"image/png"}}`), "contents[0].parts[0].fileData.fileUri"},
		{parts(`{"thought":"yes","text":""}`), "contents[0].parts[0].thought"},
		{parts(`{"Text":"a"}`), "Text"},
		{parts(call), "contents[0].parts[0].functionCall"},
		{turns(`{"functionCall":{"args":{}}}`, ""), "contents[1].parts[0].functionCall.name"},
		{turns(`{"functionCall":{"name":"f","args":[]}}`, ""), "contents[1].parts[0].functionCall.args"},
		{turns(`{"text":"a"}`, response(`"name":"f","response":{}`)), "contents[2].parts[0].functionResponse"},
		{turns(call, response(`"name":"g","response":{}`)), "contents[2].parts[0].functionResponse"},
		{turns(call, response(`"name":"f","response":{}`)+response(`"name":"f","response":{}`)), "contents[3].parts[0].functionResponse"},
		{turns(`{"functionCall":{"name":"f","id":"1"}}`, response(`"name":"f","id":"2","response":{}`)), "contents[2].parts[0].functionResponse"},
		{turns(call, response(`"name":"f","response":"text"`)), "contents[2].parts[0].functionResponse.response"},
		{turns(call, `,{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]}`+response(`"name":"f","response":{}`)), "contents[4].parts[0].functionResponse"},
		{turns(`{"functionResponse":{"name":"f","response":{}}}`, ""), "contents[1].parts[0].functionResponse"},
		{ask(`,"systemInstruction":"be brief"`), "systemInstruction"},
		{ask(`,"system_instruction":{"parts":[{"text":1}]}`), "system_instruction.parts[0].text"},
		{ask(`,"systemInstruction":{"parts":[` + call + `]}`), "systemInstruction"},
		{ask(`,"systemInstruction":{"parts":{"text":"a"}},"system_instruction":{"parts":{"text":"b"}}`), "system_instruction"},
		{ask(`,"Tools":[]`), "Tools"},
		{ask(`,"tools":"f"`), "tools"},
		{ask(`,"tools":[{"functionDeclarations":[{"name":"a"},{"description":"b"}]}]`), "tools[0].functionDeclarations[1].name"},
		{ask(`,"tools":[{"functionDeclarations":[{"name":"a","parameters":{},"parametersJsonSchema":{}}]}]`), "tools[0].functionDeclarations[0].parametersJsonSchema"},
		{ask(`,"toolConfig":{"functionCallingConfig":{"mode":1}}`), "toolConfig.functionCallingConfig.mode"},
		{ask(`,"tool_config":{"functionCallingConfig":{"allowed_function_names":"f"}}`), "tool_config.functionCallingConfig.allowed_function_names"},
		{ask(`,"generationConfig":[]`), "generationConfig"},
		{ask(`,"generationConfig":{"temperature":3}`), "generationConfig.temperature"},
		{ask(`,"generation_config":{"top_p":"1"}`), "generation_config.top_p"},
		{ask(`,"generationConfig":{"topP":1,"top_p":1}`), "generationConfig.top_p"},
		{ask(`,"generationConfig":{"maxOutputTokens":0}`), "generationConfig.maxOutputTokens"},
		{ask(`,"generationConfig":{"candidateCount":129}`), "generationConfig.candidateCount"},
		{ask(`,"generationConfig":{"seed":1.5}`), "generationConfig.seed"},
		{ask(`,"generationConfig":{"stopSequences":"x"}`), "generationConfig.stopSequences"},
		{ask(`,"generationConfig":{"responseSchema":{},"responseJsonSchema":{}}`), "generationConfig.responseJsonSchema"},
		{ask(`,"generationConfig":{"thinkingConfig":{"thinkingBudget":-2}}`), "generationConfig.thinkingConfig.thinkingBudget"},
		{ask(`,"labels":{"a":1}`), "labels"},
		{ask(`,"safetySettings":"off"`), "safetySettings"},
	} {
		_, err := requestbody.ParseGenerateContent([]byte(tc.give), "m", false)
		var e *apperr.Error
		require.True(t, errors.As(err, &e), tc.give)
		require.Equal(t, apperr.InvalidRequest, e.Code, tc.give)
		require.Equal(t, tc.param, e.Details["param"], tc.give)
	}
}

func TestGeminiAcceptsSplitResponses(t *testing.T) {
	calls := `{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}}`
	one := func(role, name string) string {
		return `,{"role":"` + role + `","parts":[{"functionResponse":{"name":"` + name + `","response":{}}}]}`
	}
	generate(t, turns(calls, one("user", "g")+one("function", "f")))
	generate(t, turns(calls, `,{"role":"user","parts":[{"text":"wait"}]}`+one("tool", "g")))
	generate(t, turns(`{"functionCall":{"name":"f"}}`, `,{"role":"model","parts":[{"functionCall":{"name":"g"}}]}`+one("user", "f")+one("user", "g")))
}

func TestGeminiModelComesFromThePath(t *testing.T) {
	for _, model := range []string{"", strings.Repeat("m", 257)} {
		_, err := requestbody.ParseGenerateContent([]byte(ask("")), model, false)
		require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err))
	}
	r := generate(t, ask(`,"model":"models/other"`))
	require.Equal(t, "gemini-2.5-pro", r.Model)
}

func TestParseCountTokens(t *testing.T) {
	plain, err := requestbody.ParseCountTokens([]byte(ask("")), "m")
	require.NoError(t, err)
	require.EqualValues(t, 8, plain.InputTokens)
	nested, err := requestbody.ParseCountTokens([]byte(`{"generateContentRequest":`+ask(`,"systemInstruction":{"parts":[{"text":"hi"}]}`)+`}`), "m")
	require.NoError(t, err)
	require.Greater(t, nested.InputTokens, plain.InputTokens)
	for give, param := range map[string]string{
		`{}`:                           "contents",
		`{"generateContentRequest":1}`: "generateContentRequest",
		`{"generateContentRequest":{"contents":[{}]}}`:                      "generateContentRequest.contents[0].parts",
		`{"contents":{"parts":{"text":"a"}},"generate_content_request":{}}`: "generate_content_request",
		`{"generateContentRequest":` + ask("") + `,"contents":[]}`:          "contents",
	} {
		_, err := requestbody.ParseCountTokens([]byte(give), "m")
		require.Equal(t, param, apperr.From(err).Details["param"], give)
	}
}

func TestParseGeminiEmbeddings(t *testing.T) {
	one, err := requestbody.ParseEmbedContent([]byte(`{"model":"models/e","content":{"parts":[{"text":"a b c"}]},"taskType":"RETRIEVAL_QUERY","output_dimensionality":64}`), "e")
	require.NoError(t, err)
	require.Equal(t, catalog.Embeddings, one.Kind)
	require.Equal(t, 1, one.InputCount)
	require.Equal(t, 64, one.Dimensions)
	require.Equal(t, "e", one.Model)
	require.Positive(t, one.InputTokens)
	two, err := requestbody.ParseBatchEmbedContents([]byte(`{"requests":[{"content":{"parts":{"text":"a"}}},{"content":{"parts":[{"text":"b"}]},"title":"t"}]}`), "e")
	require.NoError(t, err)
	require.Equal(t, 2, two.InputCount)
	require.Empty(t, two.NativeOnly)
	media, err := requestbody.ParseEmbedContent([]byte(`{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}`), "e")
	require.NoError(t, err)
	require.Equal(t, []string{"media"}, media.NativeOnly)
	for give, param := range map[string]string{
		`{}`:                                           "content",
		`{"content":"a"}`:                              "content",
		`{"content":{"parts":[]}}`:                     "content.parts",
		`{"content":{"parts":[{"text":""}]}}`:          "content.parts",
		`{"content":{"parts":[{"text":1}]}}`:           "content.parts[0].text",
		`{"content":{"parts":{"text":"a"}},"title":1}`: "title",
	} {
		_, err := requestbody.ParseEmbedContent([]byte(give), "e")
		require.Equal(t, param, apperr.From(err).Details["param"], give)
	}
	for give, param := range map[string]string{
		`{}`:                "requests",
		`{"requests":[]}`:   "requests",
		`{"requests":[{}]}`: "requests[0].content",
		`{"requests":[{"content":{"parts":{"text":"a"}}},{"content":{"parts":{"text":""}}}]}`:                           "requests[1].content.parts",
		`{"requests":[{"content":{"parts":{"text":"a"}},"outputDimensionality":1},{"content":{"parts":{"text":"a"}}}]}`: "requests[1].outputDimensionality",
	} {
		_, err := requestbody.ParseBatchEmbedContents([]byte(give), "e")
		require.Equal(t, param, apperr.From(err).Details["param"], give)
	}
}
