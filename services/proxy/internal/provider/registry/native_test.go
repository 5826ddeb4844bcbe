package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

// Decisions use policy.Provider.Speaks, and calls use the adapters. Both must agree.
func TestAdaptersSpeakWhatThePolicySays(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`
version: 1
providers:
  claude: {kind: anthropic, base_url: "https://a.example.com"}
  google: {kind: gemini, base_url: "https://g.example.com"}
  open: {kind: openai, base_url: "https://o.example.com"}
  new: {kind: openai, base_url: "https://n.example.com", wire: {http: {responses_path: /responses}}}
  only: {kind: openai, base_url: "https://n.example.com", wire: {api: responses}}
  openai: {}
  classic: {kind: openai, base_url: "https://n.example.com", wire: {api: chat, http: {responses_path: /responses}}}
  sandbox: {}
models: {sandbox-small: {}}
routes: {auto: {select: [{candidates: [sandbox-small]}]}}
`), cat)
	require.NoError(t, err)
	set, err := registry.Build(p, registry.Deps{ResolveSecret: func(string) (config.Secret, error) { return "a-key", nil }}, nil)
	require.NoError(t, err)
	for i := range p.Providers {
		known := &p.Providers[i]
		adapter, ok := set.ChatCompleter(known.Name)
		require.True(t, ok)
		native, _ := adapter.(provider.NativeCaller)
		for _, protocol := range []catalog.Protocol{catalog.ProtocolMessages, catalog.ProtocolResponses, catalog.ProtocolGemini} {
			require.Equal(t, known.Speaks(protocol), native != nil && native.Speaks(protocol), "%s %s", known.Name, protocol)
		}
	}
}
