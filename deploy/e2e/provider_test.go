package e2e

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

// acmePolicy adds an unknown provider with unusual paths, its own credential header and
// strict field checks. The policy file is all that it needs.
const acmePolicy = `version: 1
providers:
  acme:
    kind: openai
    base_url: %[1]s/openai
    allow_private: true
    keys: [{ref: "file:%[2]s"}]
    wire:
      http:
        auth_header: api-key
        chat_path: /deployments/{model}/chat/completions
        query: {api-version: "1"}
      drop: [store, stream_options, user]
      refuse: [logprobs, top_logprobs]
      rename: {max_completion_tokens: max_tokens, seed: random_seed}
      roles: {developer: system}
models:
  acme-one:
    endpoints: [{provider: acme, model: one}]
    price: {input: "2.50", output: "10", per: 1M, effective: 2026-01-01}
    context: 32000
    capabilities: [tools]
defaults: {baseline: acme-one}
routes: {auto: {select: [{candidates: [acme-one]}]}}
`

const acmeRequest = `{"model":"auto",%s"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hello"}],` +
	`"max_completion_tokens":100,"seed":7,"store":true}`

// TestProviderByOneFile routes to a made-up provider and checks the price and the record.
func TestProviderByOneFile(t *testing.T) {
	t.Parallel()
	vendor := emulate.Azure(emulate.Options{Strict: true, Models: []string{"one"}, Keys: []string{"a-key-of-some-length"}})
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	key, file := filepath.Join(dir, "key"), filepath.Join(dir, "signalbox.yaml")
	require.NoError(t, os.WriteFile(key, []byte("a-key-of-some-length\n"), 0o600))
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, acmePolicy, server.URL, key), 0o600))
	b := Start(t, "--config", file)
	operator := b.SignInOperator()
	for _, form := range []string{"", `"stream":true,`} {
		id := b.sendToAcme(t, fmt.Sprintf(acmeRequest, form))
		got := vendor.Calls()[len(vendor.Calls())-1]
		require.Equal(t, "/openai/deployments/one/chat/completions?api-version=1", got.Path)
		require.Equal(t, `{"model":"one",`+form+`"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hello"}],`+
			`"max_tokens":100,"random_seed":7}`, got.Body)
		rec := operator.AwaitRecord(id)
		require.Equal(t, []string{"ok", "acme", "acme-one"}, []string{rec.Outcome, rec.Provider, rec.Model})
		require.Equal(t, []int64{got.Usage.Input, got.Usage.Output}, []int64{rec.Tokens.Input, rec.Tokens.Output})
		require.Equal(t, []string{"store"}, rec.Attempts[0].Dropped)
		require.NotNil(t, rec.Cost)
		require.Equal(t, 2500*got.Usage.Input+10_000*got.Usage.Output, *rec.Cost)
	}
}

// sendToAcme sends a request that must succeed and returns its id.
func (b *Gateway) sendToAcme(t *testing.T, body string) string {
	t.Helper()
	res, err := b.Post(t.Context(), "/chat/completions", body)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	said, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode, string(said))
	require.Contains(t, string(said), "You said: hello")
	require.Equal(t, "acme", res.Header.Get("X-Signalbox-Provider"))
	require.Equal(t, "store", res.Header.Get("X-Signalbox-Dropped-Params"))
	return res.Header.Get("X-Request-Id")
}
