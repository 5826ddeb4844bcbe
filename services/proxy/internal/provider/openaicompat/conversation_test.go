package openaicompat_test

import (
	"flag"
	"testing"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
)

var _ = flag.Bool("update", false, "write the golden files")

// client returns a function that creates the adapter for a base path.
func client(base string, wire *catalog.Wire) func(*testing.T, string) (provider.ChatCompleter, provider.Embedder) {
	return func(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder) {
		t.Helper()
		p := newProvider(t, openaicompat.Config{BaseURL: url + base, Keys: keys(t, "a-key-of-some-length"), Wire: wire})
		return p, p
	}
}

func TestConversations(t *testing.T) {
	deployments := &catalog.Wire{HTTP: &catalog.WireHTTP{
		AuthHeader: "api-key", ChatPath: "/deployments/{model}/chat/completions", EmbeddingsPath: "/deployments/{model}/embeddings",
		Query: map[string]string{"api-version": "2024-10-21"},
	}}
	openai := func() *emulate.Server { return emulate.OpenAI(emulate.Options{}) }
	for _, s := range []conversationtest.Subject{
		{
			Name: "openai", Vendor: openai, Client: client("/v1", nil),
			Chat:  conversationtest.FromCatalog(t, "openai", "gpt-4.1"),
			Embed: conversationtest.FromCatalog(t, "openai", "text-embedding-3-small"),
		},
		{
			Name: "openai-reasoning", Vendor: openai, Client: client("/v1", nil),
			Chat:  conversationtest.FromCatalog(t, "openai", "gpt-5-mini"),
			Embed: conversationtest.FromCatalog(t, "openai", "text-embedding-3-large"),
		},
		{
			Name: "azure", Vendor: func() *emulate.Server { return emulate.Azure(emulate.Options{}) }, Client: client("/openai", deployments),
			Chat:  conversationtest.FromCatalog(t, "azure", "gpt-4.1"),
			Embed: conversationtest.FromCatalog(t, "azure", "text-embedding-3-small"),
		},
		{
			Name: "mistral", Client: client("/v1", nil),
			Vendor: func() *emulate.Server {
				return emulate.OpenAI(emulate.Options{Strict: true, Models: []string{"mistral-large-2512", "mistral-embed"}})
			},
			Chat:  conversationtest.FromCatalog(t, "mistral", "mistral-large-2512"),
			Embed: conversationtest.FromCatalog(t, "mistral", "mistral-embed"),
		},
		{
			Name: "groq", Client: client("/v1", nil),
			Vendor: func() *emulate.Server {
				return emulate.OpenAI(emulate.Options{Models: []string{"llama-3.3-70b-versatile", "text-embedding-3-small"}})
			},
			Chat:  conversationtest.FromCatalog(t, "groq", "llama-3.3-70b-versatile"),
			Embed: conversationtest.Endpoint{Model: "text-embedding-3-small"},
		},
	} {
		t.Run(s.Name, func(t *testing.T) { conversationtest.Run(t, s) })
	}
}
