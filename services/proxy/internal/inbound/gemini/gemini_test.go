package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
)

func TestToChatRejects(t *testing.T) {
	part := func(p string) string { return `{"contents":[{"parts":[{"text":"a"},` + p + `]}]}` }
	model := func(p string) string {
		return `{"contents":[{"parts":[{"text":"a"}]},{"role":"model","parts":[` + p + `]}]}`
	}
	ask := func(members string) string { return `{"contents":[{"parts":[{"text":"a"}]}],` + members + `}` }
	for give, param := range map[string]string{
		part(`{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x"}}`): "contents[0].parts[1].fileData",
		part(`{"fileData":{"mimeType":"application/pdf","fileUri":"https://example.com/a.pdf"}}`):   "contents[0].parts[1].fileData",
		part(`{"newKind":{}}`): "contents[0].parts[1]",
		model(`{"executableCode":{"language":"PYTHON","code":"1"}}`):                                                    "contents[1].parts[0].executableCode",
		model(`{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`):                                                       "contents[1].parts[0].codeExecutionResult",
		model(`{"inlineData":{"mimeType":"image/png","data":"AA=="}}`):                                                  "contents[1].parts[0]",
		ask(`"cached_content":"cachedContents/x"`):                                                                      "cached_content",
		ask(`"generationConfig":{"responseModalities":["IMAGE"]}`):                                                      "generationConfig.responseModalities",
		ask(`"generationConfig":{"responseMimeType":"text/x.enum"}`):                                                    "generationConfig.responseMimeType",
		ask(`"systemInstruction":{"parts":[{"inlineData":{"data":"AA=="}}]}`):                                           "systemInstruction.parts[0]",
		ask(`"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"SOME"}}`): "toolConfig.functionCallingConfig.mode",
		`{"contents":[{"parts":[{"thought":true}]}]}`:                                                                   "contents",
	} {
		_, err := gemini.Protocol{}.ToChat(parse(t, give, false))
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err), give)
		require.Equal(t, param, apperr.From(err).Details["param"], give)
	}
}

// The parser does not check or count such a member, so it must not reach the upstream either.
func TestMembersOfMixedSpellingAreDropped(t *testing.T) {
	r, err := requestbody.ParseGenerateContent([]byte(`{"contents":[{"parts":[{"text":"a"}]}],"system_Instruction":{"parts":[{"text":"b"}]},
		"generationConfig":{"max_outputTokens":9,"maxOutput_tokens":8,"max_output_tokens":7}}`), "m", false)
	require.NoError(t, err)
	require.EqualValues(t, 7, r.MaxOutputTokens)
	tr, err := gemini.Protocol{}.ToChat(r)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","messages":[{"role":"user","content":"a"}],"max_tokens":7}`, string(tr.Body))
	require.Equal(t, []string{"generationConfig.maxOutput_tokens", "generationConfig.max_outputTokens", "system_Instruction"}, tr.Dropped)
}

func TestToChatRequestsUsageOfStreams(t *testing.T) {
	tr, err := gemini.Protocol{}.ToChat(parse(t, askThoughts, true))
	require.NoError(t, err)
	r, err := requestbody.ParseChat(tr.Body)
	require.NoError(t, err)
	require.True(t, r.Stream)
	require.True(t, r.IncludeUsage)
}

// The chat form of a turn is a prefix of the chat form of the next turn, so that vendors can
// cache it.
func TestPrefixIsStableFromTurnToTurn(t *testing.T) {
	contents := []string{`{"parts":[{"text":"q"}],"role":"user"}`}
	var before string
	for range 10 {
		body := string(translate(t, `{"contents":[`+strings.Join(contents, ",")+`],"systemInstruction":{"parts":[{"text":"s"}]}}`).Body)
		prefix := strings.TrimSuffix(before, "]}")
		require.True(t, strings.HasPrefix(body, prefix), "%s\n%s", body, prefix)
		before = body
		contents = append(contents, `{"parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}],"role":"model"}`,
			`{"parts":[{"functionResponse":{"name":"f","response":{"a":1}}},{"functionResponse":{"name":"f","response":{"output":"x"}}}],"role":"user"}`)
	}
}

func TestFromChatRejectsOtherBodies(t *testing.T) {
	for _, body := range []string{``, `[]`, `{"choices":`, `{"object":"list"}`} {
		_, err := translate(t, askThoughts).FromChat([]byte(body), shown)
		require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err), body)
	}
}

func TestRelayBody(t *testing.T) {
	body := "{\n  \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"hi\", \"x\": 1}], \"role\": \"model\"}, \"finishReason\": \"STOP\"}],\n" +
		"  \"usageMetadata\": {\"promptTokenCount\": 7, \"candidatesTokenCount\": 2, \"thoughtsTokenCount\": 3, \"cachedContentTokenCount\": 5, \"totalTokenCount\": 13},\n" +
		"  \"modelVersion\": \"gemini-2.5-pro\", \"responseId\": \"r\"\n}\n"
	resp, err := gemini.Protocol{}.RelayBody([]byte(body), shown)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(body, `"gemini-2.5-pro"`, `"our-model"`, 1), string(resp.Body))
	require.Equal(t, &catalog.Usage{Input: 2, CacheRead: 5, Output: 5, Reasoning: 3}, resp.Usage)
	require.EqualValues(t, 1, resp.UsageDiscrepancy)
	require.Equal(t, 2, resp.OutputTextBytes)

	blocked := `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}`
	resp, err = gemini.Protocol{}.RelayBody([]byte(blocked), shown)
	require.NoError(t, err)
	require.Equal(t, blocked, string(resp.Body))
	require.True(t, resp.OutputUnknown)

	for give, want := range map[string]apperr.Code{
		``: apperr.ProviderInvalidResponse, `{"candidates":[]}`: apperr.ProviderInvalidResponse, `<html>`: apperr.ProviderInvalidResponse,
		`{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}`: apperr.ProviderRateLimited,
	} {
		_, err := gemini.Protocol{}.RelayBody([]byte(give), shown)
		require.Equal(t, want, apperr.CodeOf(err), give)
	}
}

// Google's first events have a total, but it is that of the prompt. If the stream breaks then,
// the output must be estimated.
func TestRelayOfABrokenStreamHasNoOutputCount(t *testing.T) {
	r := gemini.Protocol{}.NewRelay(shown)
	_, err := r.AppendEvent(nil, []byte(`{"candidates":[{"content":{"parts":[{"text":"Hello"}]}}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`))
	require.NoError(t, err)
	v := r.ReportedValues()
	require.Equal(t, &catalog.Usage{Input: 9}, v.Usage)
	require.True(t, v.OutputUnknown)
}

// An implausible usage does not replace an earlier one.
func TestRelayUsage(t *testing.T) {
	r := gemini.Protocol{}.NewRelay(shown)
	for _, event := range []string{
		`{"usageMetadata":{"promptTokenCount":5}}`, `{"usageMetadata":{"promptTokenCount":-5,"candidatesTokenCount":1}}`,
		`{"usageMetadata":{}}`, `{"usageMetadata":null}`,
	} {
		_, err := r.AppendEvent(nil, []byte(event))
		require.NoError(t, err)
	}
	require.False(t, r.HasStarted())
	require.False(t, r.HasCompleteUsage())
	v := r.ReportedValues()
	require.Equal(t, &catalog.Usage{Input: 5}, v.Usage)
	require.True(t, v.OutputUnknown)
	r.MarkDone()
	_, err := r.Finish(nil)
	require.Equal(t, apperr.ProviderInterrupted, apperr.CodeOf(err))
}

func TestRelayHeartbeat(t *testing.T) {
	out, err := gemini.Protocol{}.NewRelay(shown).AppendEvent(nil, nil)
	require.NoError(t, err)
	require.Empty(t, out)
}

func TestCountTokens(t *testing.T) {
	require.Equal(t, `{"totalTokens":42}`, string(gemini.CountTokensBody(42)))
}

func TestEmbeddings(t *testing.T) {
	one, err := requestbody.ParseEmbedContent([]byte(`{"model":"models/x","content":{"parts":[{"text":"a\n"},{"text":"b"}]},"task_type":"RETRIEVAL_DOCUMENT","title":"t","outputDimensionality":8,"autoTruncate":true}`), "e")
	require.NoError(t, err)
	body, dropped, err := gemini.EmbedToOpenAI(one)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"e","input":["a\n\nb"],"dimensions":8,"taskType":"RETRIEVAL_DOCUMENT","title":"t"}`, string(body))
	require.Equal(t, []string{"autoTruncate"}, dropped)
	r, err := requestbody.ParseEmbeddings(body)
	require.NoError(t, err)
	require.Equal(t, one.InputCount, r.InputCount)

	batch, err := requestbody.ParseBatchEmbedContents([]byte(`{"requests":[{"model":"models/x","content":{"parts":[{"text":"a"}]},"taskType":"SEMANTIC_SIMILARITY"},{"content":{"parts":{"text":"b"}},"taskType":"SEMANTIC_SIMILARITY"}]}`), "e")
	require.NoError(t, err)
	body, _, err = gemini.EmbedToOpenAI(batch)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"e","input":["a","b"],"taskType":"SEMANTIC_SIMILARITY"}`, string(body))

	tr, err := gemini.Protocol{}.ToChat(batch)
	require.NoError(t, err)
	require.Equal(t, body, tr.Body)
	list, err := tr.FromChat([]byte(`{"data":[{"embedding":[1]},{"embedding":[2]}]}`), shown)
	require.NoError(t, err)
	require.Equal(t, `{"embeddings":[{"values":[1]},{"values":[2]}]}`, string(list))
	tr, err = gemini.Protocol{}.ToChat(one)
	require.NoError(t, err)
	single, err := tr.FromChat([]byte(`{"data":[{"embedding":[1]}]}`), shown)
	require.NoError(t, err)
	require.Equal(t, `{"embedding":{"values":[1]}}`, string(single))

	for _, requests := range []string{`[]`, `[{"content":{"parts":{"text":"b"}}}]`, `null`} {
		both, err := requestbody.ParseEmbedContent([]byte(`{"content":{"parts":[{"text":"a"}]},"requests":`+requests+`}`), "e")
		require.NoError(t, err)
		body, _, err := gemini.EmbedToOpenAI(both)
		require.NoError(t, err)
		require.JSONEq(t, `{"model":"e","input":["a"]}`, string(body), "only the content was checked and counted")
	}

	mixed, err := requestbody.ParseBatchEmbedContents([]byte(`{"requests":[{"content":{"parts":{"text":"a"}},"taskType":"A"},{"content":{"parts":{"text":"b"}}}]}`), "e")
	require.NoError(t, err)
	_, _, err = gemini.EmbedToOpenAI(mixed)
	require.Equal(t, "requests[1].taskType", apperr.From(err).Details["param"])
	image, err := requestbody.ParseEmbedContent([]byte(`{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}`), "e")
	require.NoError(t, err)
	_, _, err = gemini.EmbedToOpenAI(image)
	require.Equal(t, "content.parts[0]", apperr.From(err).Details["param"])

	answer := []byte(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-1e-3]},{"object":"embedding","index":1,"embedding":[1,0]}],"model":"e","usage":{"prompt_tokens":2,"total_tokens":2}}`)
	all, err := gemini.EmbedFromOpenAI(answer, true)
	require.NoError(t, err)
	require.Equal(t, `{"embeddings":[{"values":[0.5,-1e-3]},{"values":[1,0]}]}`, string(all))
	first, err := gemini.EmbedFromOpenAI(answer, false)
	require.NoError(t, err)
	require.Equal(t, `{"embedding":{"values":[0.5,-1e-3]}}`, string(first))
	for _, bad := range []string{`{}`, `{"data":[]}`, `{"data":[{"embedding":"AAAA"}]}`} {
		_, err := gemini.EmbedFromOpenAI([]byte(bad), true)
		require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err), bad)
	}
}

func TestFrameIsOneLine(t *testing.T) {
	r := gemini.Protocol{}.NewRelay(shown)
	out, err := r.AppendEvent(nil, []byte("{\r\n \"candidates\": [],\n \"modelVersion\": \"x\"}"))
	require.NoError(t, err)
	require.Equal(t, "data: {   \"candidates\": [],  \"modelVersion\": \"our-model\"}\n\n", string(out))
	require.True(t, json.Valid(out[len("data: "):]))
}

// Google rejects the signatures of the gateway. All other bytes stay the same.
func stripState(t *testing.T, r *requestbody.Request) string {
	stripped, err := gemini.Protocol{}.StripState(r)
	require.NoError(t, err)
	require.False(t, stripped.HasGatewayState)
	return string(stripped.Body)
}

func TestStripState(t *testing.T) {
	own, google := requestbody.GeminiStatePrefix+"InJlIn0=", "AQID"
	before := `{ "contents" : [{"parts":[{"text":"q"}]},
		{"role":"model","parts":[ {"text":"a","thoughtSignature":"` + google + `"} , `
	body := before + `{"text":"b", "thoughtSignature" : "` + own + `"},{"thought_signature":"` + own + `","functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{"a": 1}},"thoughtSignature":"` + own + `"}]}],
		"labels":{} }`
	want := before + `{"text":"b"},{"thought_signature":"skip_thought_signature_validator","functionCall":{"name":"f"}},{"functionCall":{"name":"f","args":{"a": 1}},"thoughtSignature":"skip_thought_signature_validator"}]}],
		"labels":{} }`
	r := parse(t, body, false)
	require.True(t, r.HasGatewayState)
	require.Equal(t, want, stripState(t, r))
	single := parse(t, `{"contents":{"role":"model","parts":{"text":"b","thoughtSignature":"`+own+`"}}}`, false)
	require.Equal(t, `{"contents":{"role":"model","parts":{"text":"b"}}}`, stripState(t, single))
	bare := parse(t, `{"contents":[{"role":"model","parts":[{"thoughtSignature":"`+own+`"}]}]}`, false)
	require.Equal(t, `{"contents":[{"role":"model","parts":[{"text":""}]}]}`, stripState(t, bare))
	plain := parse(t, `{"contents":[{"parts":[{"text":"q"}]}]}`, false)
	require.Equal(t, string(plain.Body), stripState(t, plain))
}
