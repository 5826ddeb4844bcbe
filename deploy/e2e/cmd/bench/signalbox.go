package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What callers send for an explicit model.
const (
	modelChat  = "small"
	modelEmbed = "vectors"
)

// policyText routes to the upstream, with a second model so that a decision
// has something to decide. What auto means depends on the text, so that the
// router is asked each time; what ordered means does not.
const policyText = `version: 1
providers:
  mock: {kind: openai, base_url: http://%s/v1, allow_private: true}
models:
  small:
    endpoints: [{provider: mock, model: mock-s}]
    price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}
    context: 1048576
    quality: {general: 0.74, code: 0.70}
  large:
    endpoints: [{provider: mock, model: mock-l}]
    price: {input: "1.00", output: "4.00", per: 1M, effective: 2026-01-01}
    context: 1048576
    quality: {general: 0.91, code: 0.90}
  vectors:
    kind: embeddings
    endpoints: [{provider: mock, model: mock-e}]
    price: {input: "0.02", per: 1M, effective: 2026-01-01}
defaults: {baseline: large, embedding_baseline: vectors}
routes:
  auto: {select: [{strategy: cheapest, candidates: [small, large], min_quality: 0.5}]}
  ordered: {select: [{candidates: [small, large]}]}
  auto-embed: {kind: embeddings, select: [{target: vectors}]}
`

// signalbox is the gateway as it ships, in one of its shapes, with nothing set
// that a user would not set.
type signalbox struct {
	*child
	// edge and api are where the proxy and the dashboard listen; edges are all
	// proxies.
	edge, api string
	edges     []string
	key       string
	// proxy is the process whose cost counts; others work for it.
	proxy  int
	others map[string]int
	// binary is what the proxy's process runs, and admin where its profiles are.
	binary, admin string
	// signIn is the call that makes a session, with its body.
	signIn string
	secret map[string]string
	data   string
	// patience is how long its ledger may take.
	patience time.Duration
	session  *http.Client
	answered int
}

// newBox makes the directory of a gateway, with the policy in it.
func newBox(upstream string) (*signalbox, error) {
	data, err := os.MkdirTemp("", "signalbox-bench-")
	if err != nil {
		return nil, err
	}
	s := &signalbox{data: data, patience: storeLimit}
	return s, os.WriteFile(s.policy(), fmt.Appendf(nil, policyText, upstream), 0o600)
}

func (s *signalbox) policy() string { return filepath.Join(s.data, "signalbox.yaml") }

func (s *signalbox) stop() {
	s.child.stop()
	_ = os.RemoveAll(s.data)
}

// environment is ours without what would configure the binary.
func environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "SIGNALBOX_") && !strings.Contains(kv, "_API_KEY=") {
			env = append(env, kv)
		}
	}
	return env
}
