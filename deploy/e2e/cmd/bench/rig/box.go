// Package rig starts what the benchmarks measure: this program in another role, other programs,
// and Signalbox as the all-in-one or the split deployment. A Box is a running Signalbox: its
// addresses and processes, and its ledger through the dashboard's API. Nothing that it starts
// outlives the benchmark.
package rig

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// The names that clients request: a model of each kind, and the routes of the policy.
const (
	ModelChat    = "small"
	ModelEmbed   = "vectors"
	RouteOrdered = "ordered"
	RouteAuto    = "auto"
)

// policyText routes to the upstream. A second model gives the decision a choice. The
// auto route depends on the text, so every request calls the router; the ordered
// route does not.
const policyText = `version: 1
providers:
  mock: {kind: openai, base_url: http://%[1]s/v1, allow_private: true}
  mock-messages: {kind: anthropic, base_url: http://%[1]s/v1, allow_private: true}
  mock-responses: {kind: openai, base_url: http://%[1]s/v1, allow_private: true, wire: {http: {responses_path: /responses}}}
  mock-gemini: {kind: gemini, base_url: http://%[1]s/v1beta, allow_private: true}
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
  agent-chat: {endpoints: [{provider: mock, model: mock-s}], price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}, context: 1048576, capabilities: [tools]}
  agent-messages: {endpoints: [{provider: mock-messages, model: mock-s}], price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}, context: 1048576, capabilities: [tools]}
  agent-responses: {endpoints: [{provider: mock-responses, model: mock-s}], price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}, context: 1048576, capabilities: [tools]}
  agent-gemini: {endpoints: [{provider: mock-gemini, model: mock-s}], price: {input: "0.05", output: "0.15", per: 1M, effective: 2026-01-01}, context: 1048576, capabilities: [tools]}
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

// Box is a running gateway, all-in-one or split. Most settings are those of a normal
// installation.
type Box struct {
	*Child
	// Edge and API are the addresses of the proxy and the dashboard; Edges lists all
	// proxies.
	Edge, API string
	Edges     []string
	Key       string
	// Proxy is the process whose cost is measured; Others are the processes that work
	// for it.
	Proxy  int
	Others map[string]int
	// Binary is the executable of the proxy; admin is the address of its profiles.
	Binary, admin string
	// SignIn is the API path that opens a session; Secret is its body.
	SignIn string
	Secret map[string]string
	data   string
	// storeWait limits how long records may take to reach the ledger.
	storeWait time.Duration
	session   *http.Client
	// Answered is the number of responses that clients received completely.
	Answered int
}

// newBox creates the directory of a gateway and writes the policy to it.
func newBox(upstream string) (*Box, error) {
	data, err := os.MkdirTemp("", "signalbox-bench-")
	if err != nil {
		return nil, err
	}
	s := &Box{data: data, storeWait: storeTimeout}
	return s, os.WriteFile(s.policyPath(), fmt.Appendf(nil, policyText, upstream), 0o600)
}

func (s *Box) policyPath() string { return filepath.Join(s.data, "signalbox.yaml") }

// Stop stops all processes and removes the data.
func (s *Box) Stop() {
	s.Child.Stop()
	_ = os.RemoveAll(s.data)
}

// ProxyPIDs returns the processes of the proxies.
func (s *Box) ProxyPIDs() []int {
	pids := []int{s.Proxy}
	for i := 2; i <= len(s.Edges); i++ {
		pids = append(pids, s.Others[fmt.Sprintf("proxy-%d", i)])
	}
	return pids
}

// cleanEnvironment returns the environment without variables that configure the
// binaries.
func cleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "SIGNALBOX_") || strings.Contains(kv, "_API_KEY=")
	})
}

// AdminOf returns the admin address of a service of the split deployment, which has its metrics.
func (s *Box) AdminOf(name string) (string, error) {
	return procfs.ReadEnv(s.Others[name], "SIGNALBOX_ADMIN")
}
