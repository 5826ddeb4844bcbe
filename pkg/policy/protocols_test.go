package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func TestProvidersSpeakTheProtocolOfTheirKind(t *testing.T) {
	responses := &catalog.Wire{HTTP: &catalog.WireHTTP{ResponsesPath: "/responses"}}
	for _, tt := range []struct {
		provider policy.Provider
		speaks   []catalog.Protocol
	}{
		{policy.Provider{Kind: "anthropic"}, []catalog.Protocol{catalog.ProtocolMessages}},
		{policy.Provider{Kind: "gemini"}, []catalog.Protocol{catalog.ProtocolGemini}},
		{policy.Provider{Kind: "sandbox"}, []catalog.Protocol{catalog.ProtocolChat}},
		{policy.Provider{Kind: "openai", Wire: &catalog.Wire{}}, []catalog.Protocol{catalog.ProtocolChat}},
		{policy.Provider{Kind: "openai", Wire: responses}, []catalog.Protocol{catalog.ProtocolChat, catalog.ProtocolResponses}},
	} {
		var got []catalog.Protocol
		for _, p := range []catalog.Protocol{catalog.ProtocolChat, catalog.ProtocolMessages, catalog.ProtocolResponses, catalog.ProtocolGemini} {
			if tt.provider.Speaks(p) {
				got = append(got, p)
			}
		}
		require.Equal(t, tt.speaks, got, tt.provider.Kind)
	}
}

// Clients can use the vendors' names of the route auto, unless the document uses them itself.
func TestNamesOfTheRouteAuto(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	compile := func(more string) *policy.Policy {
		p, err := policy.Compile([]byte("version: 1\nmodels: {sandbox-small: {}}\nroutes:\n  auto: {select: [{candidates: [sandbox-small]}]}\n"+more), cat)
		require.NoError(t, err)
		return p
	}
	for _, name := range []string{"claude-auto", "gemini-auto"} {
		route, ok := compile("").Route(name, catalog.Chat)
		require.True(t, ok, name)
		require.Equal(t, "auto", route.Name)
		_, ok = compile("").Route(name, catalog.Embeddings)
		require.False(t, ok, "the document has no route auto-embed")
	}
	route, ok := compile("  claude-auto: {select: [{candidates: [sandbox-small]}]}\n").Route("claude-auto", catalog.Chat)
	require.True(t, ok)
	require.Equal(t, "claude-auto", route.Name)
	_, ok = compile("").Route("other-auto", catalog.Chat)
	require.False(t, ok)
}
