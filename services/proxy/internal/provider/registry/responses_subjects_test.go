package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openairesponses"
)

// responsesPaths maps request fields to their paths in the Responses format.
var responsesPaths = map[string][]string{
	"messages":               {"input"},
	"max_tokens":             {"max_output_tokens"},
	"max_completion_tokens":  {"max_output_tokens"},
	"tools":                  {"tools"},
	"tool_choice":            {"tool_choice"},
	"parallel_tool_calls":    {"parallel_tool_calls"},
	"response_format":        {"text.format"},
	"verbosity":              {"text.verbosity"},
	"temperature":            {"temperature"},
	"top_p":                  {"top_p"},
	"top_logprobs":           {"top_logprobs"},
	"logprobs":               {"include"},
	"reasoning_effort":       {"reasoning.effort"},
	"user":                   {"user"},
	"metadata":               {"metadata"},
	"moderation":             {"moderation"},
	"safety_identifier":      {"safety_identifier"},
	"service_tier":           {"service_tier"},
	"prompt_cache_key":       {"prompt_cache_key"},
	"prompt_cache_options":   {"prompt_cache_options"},
	"prompt_cache_retention": {"prompt_cache_retention"},
	"input":                  {"input"},
	"dimensions":             {"dimensions"},
}

func responsesClient(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder) {
	t.Helper()
	p, err := openairesponses.New(openairesponses.Config{
		Name: "acme", BaseURL: url + "/v1", Keys: testKeys(t), Transport: testTransport(t), Version: "1.2.3",
	})
	require.NoError(t, err)
	return p, p
}

func responsesSubjects(t *testing.T) []conversationtest.Subject {
	t.Helper()
	vendor := func() *emulate.Server { return emulate.OpenAI(emulate.Options{}) }
	embed := conversationtest.FromCatalog(t, "openai", "text-embedding-3-small")
	return []conversationtest.Subject{
		{
			Name: "responses-codex", Vendor: vendor, Client: responsesClient, VendorPaths: responsesPaths,
			Chat: conversationtest.FromCatalog(t, "openai", "gpt-5.3-codex"), Embed: embed,
		},
		{
			Name: "responses-pro", Base: "responses-codex", Vendor: vendor, Client: responsesClient, VendorPaths: responsesPaths,
			Chat: conversationtest.FromCatalog(t, "openai", "gpt-5.5-pro"), Embed: embed,
		},
		{
			Name: "responses-plain", Base: "responses-codex", Vendor: vendor, Client: responsesClient, VendorPaths: responsesPaths,
			Chat: conversationtest.ThroughResponses(conversationtest.FromCatalog(t, "openai", "gpt-4.1")), Embed: embed,
		},
	}
}
