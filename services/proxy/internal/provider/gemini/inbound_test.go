package gemini

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	native "github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// A request in Google's own format stays the same on the way through the chat format, as far
// as chat has a form for it.
func TestNativeRequestsSurviveTheChatFormat(t *testing.T) {
	for name, body := range map[string]string{
		"agent": `{"systemInstruction":{"parts":[{"text":"You are an agent."}]},
			"contents":[{"role":"user","parts":[{"text":"context"},{"text":"List the files."}]}],
			"tools":[{"functionDeclarations":[{"name":"ls","description":"Lists files.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}],
			"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls"]}},
			"generationConfig":{"temperature":1,"topP":0.95,"topK":64,"seed":7,"presencePenalty":0.5,"frequencyPenalty":-0.5,"maxOutputTokens":100,"candidateCount":2,
				"stopSequences":["END"],"responseLogprobs":true,"logprobs":3,"thinkingConfig":{"thinkingBudget":8192,"includeThoughts":true}}}`,
		"tool loop": `{"contents":[{"role":"user","parts":[{"text":"q"}]},
			{"role":"model","parts":[{"text":"I look.","thoughtSignature":"AQID"},{"functionCall":{"name":"ls","args":{"path":"."}},"thoughtSignature":"AQIE"},{"functionCall":{"id":"x","name":"ls","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"main.go"}}},{"functionResponse":{"id":"x","name":"ls","response":{"error":"no","n":[1,2]}}}]},
			{"role":"model","parts":[{"text":"Done."}]},{"role":"user","parts":[{"text":"thanks"}]}]}`,
		"results that are JSON": `{"contents":[{"role":"user","parts":[{"text":"q"}]},
			{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AQID"},{"functionCall":{"name":"f","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"[1]"}}},{"functionResponse":{"name":"f","response":{"output":" {}"}}}]}]}`,
		"media": `{"contents":[{"role":"user","parts":[{"text":"what?"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}},
			{"inlineData":{"mimeType":"application/pdf","data":"AAAA"}},{"inlineData":{"mimeType":"video/mp4","data":"AAAA"}},
			{"fileData":{"mimeType":"image/png","fileUri":"https://example.com/a.png"}}]}]}`,
		"schema": `{"contents":[{"role":"user","parts":[{"text":"q"}]}],
			"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`,
		"JSON": `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"generationConfig":{"responseMimeType":"application/json"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			request, err := requestbody.ParseGenerateContent([]byte(body), "m", false)
			require.NoError(t, err)
			chat, err := native.Protocol{}.ToChat(request)
			require.NoError(t, err)
			require.Empty(t, chat.Dropped)
			r, err := requestbody.ParseChat(chat.Body)
			require.NoError(t, err)
			out, dropped, err := buildChatRequest(provider.Call{Request: r, UpstreamModel: "m", Wire: olderWire}, replaySignatures)
			require.NoError(t, err)
			require.Empty(t, dropped)
			require.JSONEq(t, body, string(out))
		})
	}
}

// A response in Google's own format stays the same on the way through the chat format.
func TestNativeResponsesSurviveTheChatFormat(t *testing.T) {
	const thinking = `{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`
	request, err := requestbody.ParseGenerateContent([]byte(thinking), "m", false)
	require.NoError(t, err)
	chat, err := native.Protocol{}.ToChat(request)
	require.NoError(t, err)
	for name, body := range map[string]string{
		"text": `{"candidates":[{"content":{"parts":[{"text":"I think.","thought":true},{"text":"Hello","thoughtSignature":"AQID"}],"role":"model"},"finishReason":"STOP","index":0}],
			"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"thoughtsTokenCount":5,"cachedContentTokenCount":4,"totalTokenCount":17},"modelVersion":"m","responseId":"r"}`,
		"calls": `{"candidates":[{"content":{"parts":[{"text":"I look."},{"functionCall":{"id":"a","name":"ls","args":{"path":"."}},"thoughtSignature":"AQID"},{"functionCall":{"id":"b","name":"ls","args":{}}}],"role":"model"},
			"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3},"modelVersion":"m","responseId":"r"}`,
		"candidates": `{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":"MAX_TOKENS","index":0},{"content":{"role":"model"},"finishReason":"SAFETY","index":1}],
			"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3},"modelVersion":"m","responseId":"r"}`,
		"logprobs and media": `{"candidates":[{"content":{"parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}],"role":"model"},"finishReason":"STOP","index":0,
			"citationMetadata":{"citationSources":[{"startIndex":0,"endIndex":3,"uri":"https://example.com","title":"t"}]},
			"logprobsResult":{"topCandidates":[{"candidates":[{"token":"see","logProbability":-0.5}]}],"chosenCandidates":[{"token":"see","logProbability":-0.5}]}}],
			"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3},"modelVersion":"m","responseId":"r"}`,
	} {
		t.Run(name, func(t *testing.T) {
			translated, _ := translateResponse([]byte(body))
			resp, err := normalize.Chat(translated, normalize.Options{ID: "x", Model: "m", Choices: 2})
			require.NoError(t, err)
			out, err := chat.FromChat(resp.Body, inbound.Options{ID: "r", Model: "m"})
			require.NoError(t, err)
			require.JSONEq(t, body, string(out))
		})
	}
}
