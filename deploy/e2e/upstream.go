package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Upstream is a local server of the OpenAI-compatible format, with some of the
// deviations of real servers.
type Upstream struct {
	*httptest.Server

	mu       sync.Mutex
	requests []UpstreamRequest
}

// UpstreamRequest is a request that reached the upstream.
type UpstreamRequest struct {
	Path   string
	Header http.Header
	Body   map[string]json.RawMessage
}

// NewUpstream starts an upstream and stops it when the test ends.
func NewUpstream(t *testing.T) *Upstream {
	u := &Upstream{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", u.serveChat)
	mux.HandleFunc("POST /v1/embeddings", u.serveEmbeddings)
	u.Server = httptest.NewServer(mux)
	t.Cleanup(u.Close)
	return u
}

// Requests returns the requests received so far.
func (u *Upstream) Requests() []UpstreamRequest {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]UpstreamRequest(nil), u.requests...)
}

func (u *Upstream) recordRequest(r *http.Request) map[string]json.RawMessage {
	body, _ := io.ReadAll(r.Body)
	s := UpstreamRequest{Path: r.URL.Path, Header: r.Header.Clone()}
	_ = json.Unmarshal(body, &s.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests = append(u.requests, s)
	return s.Body
}

const usageJSON = `{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4}}`

func (u *Upstream) serveChat(w http.ResponseWriter, r *http.Request) {
	body := u.recordRequest(r)
	if string(body["stream"]) != "true" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"up-1","object":"chat.completion","created":1760000000,"model":"local-s",
			"choices":[{"index":0,"message":{"role":"assistant","content":"Hello from upstream"},"finish_reason":"stop"}],"usage":%s}`, usageJSON)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range []string{`{"content":"Hello "}`, `{"content":"from "}`, `{"content":"upstream"}`} {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"up-1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		w.(http.Flusher).Flush()
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n", usageJSON)
}

func (u *Upstream) serveEmbeddings(w http.ResponseWriter, r *http.Request) {
	u.recordRequest(r)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","model":"local-e","data":[
		{"object":"embedding","index":1,"embedding":[0.5,-0.25]},
		{"object":"embedding","index":0,"embedding":[1,0.125]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`)
}

// upstreamSecret is the credential that policies refer to as env:UPSTREAM_SECRET. Every
// gateway has it in its environment.
const upstreamSecret = "upstream-secret-value"

// WritePolicy writes a policy that routes to this upstream and returns the flags
// that load it.
func (u *Upstream) WritePolicy(t *testing.T) []string {
	return u.writePolicyWithPrices(t, "1.00", "0.50", "2.00")
}

// writePolicyWithPrices is WritePolicy with prices in dollars per million tokens.
func (u *Upstream) writePolicyWithPrices(t *testing.T, input, cached, output string) []string {
	doc := fmt.Sprintf(`version: 1
providers:
  local: {kind: openai, base_url: %s/v1, allow_private: true, keys: [{ref: env:UPSTREAM_SECRET}]}
models:
  small:
    endpoints: [{provider: local, model: local-s}]
    price: {input: %q, cache_read: %q, output: %q, per: 1M, effective: 2026-01-01}
    context: 8192
    capabilities: [tools, json_object]
  embed:
    kind: embeddings
    endpoints: [{provider: local, model: local-e}]
    price: {input: "0.10", output: "0", per: 1M, effective: 2026-01-01}
    context: 8192
defaults: {baseline: small, embedding_baseline: embed}
routes:
  auto: {select: [{candidates: [small]}]}
  auto-embed: {kind: embeddings, select: [{target: embed}]}
`, u.URL, input, cached, output)
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(doc), 0o600))
	return []string{"--config", path}
}
