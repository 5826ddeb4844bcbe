package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/gemini"
)

// geminiPaths maps request fields to their paths in Google's format.
var geminiPaths = map[string][]string{
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

func geminiClient(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder) {
	t.Helper()
	p, err := gemini.New(gemini.Config{
		Name: "google", BaseURL: url + "/v1beta", Keys: testKeys(t), Transport: testTransport(t), Version: "1.2.3",
	})
	require.NoError(t, err)
	return p, p
}

func geminiSubjects(t *testing.T) []conversationtest.Subject {
	t.Helper()
	vendor := func() *emulate.Server { return emulate.Gemini(emulate.Options{}) }
	return []conversationtest.Subject{
		{
			Name: "gemini-flash", Vendor: vendor, Client: geminiClient, VendorPaths: geminiPaths, Uncounted: true,
			Chat:  conversationtest.FromCatalog(t, "google", "gemini-2.5-flash"),
			Embed: conversationtest.FromCatalog(t, "google", "gemini-embedding-001"),
		},
		{
			Name: "gemini-pro", Base: "gemini-flash", Vendor: vendor, Client: geminiClient, VendorPaths: geminiPaths, Uncounted: true,
			Chat:  conversationtest.FromCatalog(t, "google", "gemini-3.1-pro-preview"),
			Embed: conversationtest.FromCatalog(t, "google", "gemini-embedding-001"),
		},
	}
}
