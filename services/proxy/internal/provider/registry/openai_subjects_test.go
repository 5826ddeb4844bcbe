package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
)

// openAIClient returns a function that creates the adapter for a base path.
func openAIClient(base string, wire *catalog.Wire) func(*testing.T, string) (provider.ChatCompleter, provider.Embedder) {
	return func(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder) {
		t.Helper()
		p, err := openaicompat.New(openaicompat.Config{
			Name: "acme", BaseURL: url + base, Keys: testKeys(t), Transport: testTransport(t), Wire: wire, Version: "1.2.3",
		})
		require.NoError(t, err)
		return p, p
	}
}

func openAISubjects(t *testing.T) []conversationtest.Subject {
	t.Helper()
	deployments := &catalog.Wire{HTTP: &catalog.WireHTTP{
		AuthHeader: "api-key", ChatPath: "/deployments/{model}/chat/completions", EmbeddingsPath: "/deployments/{model}/embeddings",
		Query: map[string]string{"api-version": "2024-10-21"},
	}}
	openai := func() *emulate.Server { return emulate.OpenAI(emulate.Options{}) }
	return []conversationtest.Subject{
		{
			Name: "openai", Vendor: openai, Client: openAIClient("/v1", nil),
			Chat:  conversationtest.FromCatalog(t, "openai", "gpt-4.1"),
			Embed: conversationtest.FromCatalog(t, "openai", "text-embedding-3-small"),
		},
		{
			Name: "openai-reasoning", Base: "openai", Vendor: openai, Client: openAIClient("/v1", nil),
			Chat:  conversationtest.FromCatalog(t, "openai", "gpt-5-mini"),
			Embed: conversationtest.FromCatalog(t, "openai", "text-embedding-3-large"),
		},
		{
			Name: "azure", Base: "openai", Vendor: func() *emulate.Server { return emulate.Azure(emulate.Options{}) }, Client: openAIClient("/openai", deployments),
			Chat:  conversationtest.FromCatalog(t, "azure", "gpt-4.1"),
			Embed: conversationtest.FromCatalog(t, "azure", "text-embedding-3-small"),
		},
		{
			Name: "mistral", Base: "openai", Client: openAIClient("/v1", nil),
			Vendor: func() *emulate.Server {
				return emulate.OpenAI(emulate.Options{Strict: true, Models: []string{"mistral-large-2512", "mistral-embed"}})
			},
			Chat:  conversationtest.FromCatalog(t, "mistral", "mistral-large-2512"),
			Embed: conversationtest.FromCatalog(t, "mistral", "mistral-embed"),
		},
		{
			Name: "groq", Base: "openai", Client: openAIClient("/v1", nil),
			Vendor: func() *emulate.Server {
				return emulate.OpenAI(emulate.Options{Models: []string{"llama-3.3-70b-versatile", "text-embedding-3-small"}})
			},
			Chat:  conversationtest.FromCatalog(t, "groq", "llama-3.3-70b-versatile"),
			Embed: conversationtest.Endpoint{Model: "text-embedding-3-small"},
		},
	}
}
