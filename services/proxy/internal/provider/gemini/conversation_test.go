package gemini_test

import (
	"testing"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
)

// vendorPaths maps request fields to their paths in Google's format.
var vendorPaths = map[string][]string{
	"messages":              {"contents"},
	"max_tokens":            {"generationConfig.maxOutputTokens"},
	"max_completion_tokens": {"generationConfig.maxOutputTokens"},
	"tools":                 {"tools"},
	"tool_choice":           {"toolConfig.functionCallingConfig"},
	"response_format":       {"generationConfig.responseMimeType"},
	"stop":                  {"generationConfig.stopSequences"},
	"temperature":           {"generationConfig.temperature"},
	"top_p":                 {"generationConfig.topP"},
	"seed":                  {"generationConfig.seed"},
	"n":                     {"generationConfig.candidateCount"},
	"presence_penalty":      {"generationConfig.presencePenalty"},
	"frequency_penalty":     {"generationConfig.frequencyPenalty"},
	"logprobs":              {"generationConfig.responseLogprobs"},
	"top_logprobs":          {"generationConfig.logprobs"},
	"reasoning_effort":      {"generationConfig.thinkingConfig"},
	"service_tier":          {"serviceTier"},
	"input":                 {"requests"},
	"dimensions":            {"requests"},
}

func TestConversations(t *testing.T) {
	for name, model := range map[string]string{"flash": "gemini-2.5-flash", "pro": "gemini-3.1-pro-preview"} {
		t.Run(name, func(t *testing.T) {
			conversationtest.Run(t, conversationtest.Subject{
				Name: name, Vendor: func() *emulate.Server { return emulate.Gemini(emulate.Options{}) },
				Client: func(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder) {
					t.Helper()
					p := newProvider(t, url+"/v1beta")
					return p, p
				},
				Chat:        conversationtest.FromCatalog(t, "google", model),
				Embed:       conversationtest.FromCatalog(t, "google", "gemini-embedding-001"),
				VendorPaths: vendorPaths, Uncounted: true,
			})
		})
	}
}
