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
		{policy.Provider{Kind: "openai", Wire: responses.Merge(&catalog.Wire{API: catalog.ProtocolChat})}, []catalog.Protocol{catalog.ProtocolChat}},
		{
			policy.Provider{Kind: "openai", Wire: &catalog.Wire{API: catalog.ProtocolResponses}},
			[]catalog.Protocol{catalog.ProtocolChat, catalog.ProtocolResponses},
		},
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

// An endpoint can use another API than the other endpoints of its provider.
func TestEndpointsChooseTheirAPI(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`
version: 1
providers:
  openai: {}
  plain: {kind: openai, base_url: "https://p.example.com/v1"}
models:
  gpt-4.1: {}
  gpt-5.5-pro: {}
  classic: {endpoints: [{provider: openai, model: gpt-4.1-mini, wire: {api: chat}}]}
  other: {endpoints: [{provider: plain, model: a}]}
  pro: {endpoints: [{provider: plain, model: b, wire: {api: responses}}]}
routes: {auto: {select: [{candidates: [gpt-4.1, gpt-5.5-pro, classic, other, pro]}]}}
`), cat)
	require.NoError(t, err)
	for _, tt := range []struct {
		model                      string
		forwardsResponses, usesAPI bool
	}{
		{"gpt-4.1", true, false}, {"gpt-5.5-pro", true, true}, {"classic", false, false}, {"other", false, false}, {"pro", true, true},
	} {
		m, ok := p.Model(tt.model)
		require.True(t, ok)
		provider, ok := p.Provider(m.Endpoints[0].Provider)
		require.True(t, ok)
		require.Equal(t, tt.forwardsResponses, provider.SpeaksAt(&m.Endpoints[0], catalog.ProtocolResponses), tt.model)
		require.False(t, provider.SpeaksAt(&m.Endpoints[0], catalog.ProtocolMessages))
		require.Equal(t, tt.usesAPI, m.Endpoints[0].Wire.UsesResponses(false), tt.model)
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
