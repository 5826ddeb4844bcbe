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

// Upstream is a local server of the OpenAI-compatible format, with a deviation
// or two that real ones have.
type Upstream struct {
	*httptest.Server

	mu   sync.Mutex
	seen []Seen
}

// Seen is what reached the upstream.
type Seen struct {
	Path   string
	Header http.Header
	Body   map[string]json.RawMessage
}

// NewUpstream starts one.
func NewUpstream(t *testing.T) *Upstream {
	u := &Upstream{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", u.chat)
	mux.HandleFunc("POST /v1/embeddings", u.embeddings)
	u.Server = httptest.NewServer(mux)
	t.Cleanup(u.Close)
	return u
}

// Seen returns what reached it so far.
func (u *Upstream) Seen() []Seen {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]Seen(nil), u.seen...)
}

func (u *Upstream) note(r *http.Request) map[string]json.RawMessage {
	body, _ := io.ReadAll(r.Body)
	s := Seen{Path: r.URL.Path, Header: r.Header.Clone()}
	_ = json.Unmarshal(body, &s.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, s)
	return s.Body
}

const usage = `{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4}}`

func (u *Upstream) chat(w http.ResponseWriter, r *http.Request) {
	body := u.note(r)
	if string(body["stream"]) != "true" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"up-1","object":"chat.completion","created":1760000000,"model":"local-s",
			"choices":[{"index":0,"message":{"role":"assistant","content":"Hello from upstream"},"finish_reason":"stop"}],"usage":%s}`, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range []string{`{"content":"Hello "}`, `{"content":"from "}`, `{"content":"upstream"}`} {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"up-1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		w.(http.Flusher).Flush()
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n", usage)
}

func (u *Upstream) embeddings(w http.ResponseWriter, r *http.Request) {
	u.note(r)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","model":"local-e","data":[
		{"object":"embedding","index":1,"embedding":[0.5,-0.25]},
		{"object":"embedding","index":0,"embedding":[1,0.125]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`)
}

// Policy writes a policy that routes to this upstream, and returns the flag.
func (u *Upstream) Policy(t *testing.T) []string { return u.priced(t, "1.00", "0.50", "2.00") }

// priced is Policy with prices in dollars a million tokens.
func (u *Upstream) priced(t *testing.T, input, cached, output string) []string {
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
	t.Setenv("UPSTREAM_SECRET", "upstream-secret-value")
	return []string{"--config", path}
}
