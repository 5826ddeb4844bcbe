// Package policy is the routing document: providers, models, defaults and
// routes. It parses the YAML an operator writes, finds all its problems at
// once, and compiles it into a Policy, which is immutable and named by its
// content. It decides nothing itself (pkg/decide does) and resolves no secret.
package policy

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Policy is a compiled document. Its canonical JSON is the same for the same
// meaning, and its version is the SHA-256 of that. Nobody changes a Policy.
type Policy struct {
	// Schema is the version of the document's language.
	Schema int `json:"schema"`
	// Catalog is the version of the catalog that supplied what was not written.
	Catalog   string     `json:"catalog"`
	Providers []Provider `json:"providers"`
	Models    []Model    `json:"models"`
	Defaults  Defaults   `json:"defaults"`
	Routes    []Route    `json:"routes"`

	version   string
	canonical []byte
	providers map[string]*Provider
	models    map[string]*Model
	aliases   map[string]*Model
	routes    map[string]*Route
}

// Provider is where models are served.
type Provider struct {
	Name         string   `json:"name"`
	Kind         string   `json:"kind"`
	BaseURL      string   `json:"base_url,omitempty"`
	Keys         []Key    `json:"keys,omitempty"`
	Timeouts     Timeouts `json:"timeouts"`
	AllowPrivate bool     `json:"allow_private,omitempty"`
	// HTTP2 is whether HTTP/2 is offered; the upstream chooses.
	HTTP2  bool     `json:"http2,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Limits Limits   `json:"limits,omitzero"`
	// Wire is how it deviates from the format of its kind; nil when it does not.
	Wire *catalog.Wire `json:"wire,omitempty"`
}

// Key is a credential by reference: env:NAME or file:PATH.
type Key struct {
	Ref string `json:"ref"`
	// Weight is its share of the provider's calls; 0 counts as 1.
	Weight int `json:"weight,omitempty"`
}

// Limits are what a provider lets the gateway do; 0 is no limit.
type Limits struct {
	// Requests and Tokens are per minute.
	Requests int64 `json:"requests,omitempty"`
	Tokens   int64 `json:"tokens,omitempty"`
	// Concurrent is how many calls may run at the same time.
	Concurrent int64 `json:"concurrent,omitempty"`
}

// Timeouts bound an attempt.
type Timeouts struct {
	Connect    time.Duration `json:"connect"`
	FirstToken time.Duration `json:"first_token"`
	Idle       time.Duration `json:"idle"`
	Total      time.Duration `json:"total"`
}

// Model is a model of the policy with the places that serve it.
type Model struct {
	catalog.Model
	// Unlisted is set for what the document does not write and its providers
	// serve all the same, for callers who name it.
	Unlisted  bool       `json:"unlisted,omitempty"`
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is a place that serves a model. What is not set is as the model has
// it: ask the model, with the provider's name.
type Endpoint struct {
	Provider string `json:"provider"`
	// Upstream is the provider's own name of the model.
	Upstream  string          `json:"upstream"`
	Prices    []catalog.Price `json:"prices,omitempty"`
	Context   int64           `json:"context,omitempty"`
	MaxOutput int64           `json:"max_output,omitempty"`
	// Lacks are the model's capabilities that this place does not offer.
	Lacks []catalog.Capability `json:"lacks,omitempty"`
	Wire  *catalog.Wire        `json:"wire,omitempty"`
}

// Defaults apply where a route says nothing else.
type Defaults struct {
	Baseline          string  `json:"baseline,omitempty"`
	EmbeddingBaseline string  `json:"embedding_baseline,omitempty"`
	Retries           Retries `json:"retries"`
	Breaker           Breaker `json:"breaker"`
	Logging           Logging `json:"logging,omitzero"`
}

// Logging is what is kept of requests.
type Logging struct {
	// Redact are patterns of what is not kept where content is redacted, beside
	// what is found without them.
	Redact []Pattern `json:"redact,omitempty"`
}

// Pattern is a regular expression of RE2 with a name for what it finds.
type Pattern struct {
	Name    string `json:"name"`
	Pattern string `json:"pattern"`
}

// Version is the content hash, in hex.
func (p *Policy) Version() string { return p.version }

// Canonical is the encoded form that Version is the hash of. Callers must not
// change it.
func (p *Policy) Canonical() []byte { return p.canonical }

// Provider finds a provider by name.
func (p *Policy) Provider(name string) (*Provider, bool) {
	v, ok := p.providers[name]
	return v, ok
}

// Model finds a model by its id.
func (p *Policy) Model(id string) (*Model, bool) {
	v, ok := p.models[id]
	return v, ok
}

// Alias finds a model by another name of it.
func (p *Policy) Alias(name string) (*Model, bool) {
	v, ok := p.aliases[name]
	return v, ok
}

// Route finds a route by name and kind. On embeddings, auto means auto-embed.
func (p *Policy) Route(name string, kind catalog.Kind) (*Route, bool) {
	if kind == catalog.Embeddings && name == "auto" {
		name = "auto-embed"
	}
	v, ok := p.routes[name]
	if !ok || v.Kind != kind {
		return nil, false
	}
	return v, true
}
