// Package policy compiles the routing document: providers, models, defaults and
// routes. Compile parses the YAML that an operator writes and reports many problems at
// once. Values that the document omits come from the catalog. The result is a Policy,
// which is immutable and identified by the hash of its content. Decode reads a
// compiled policy from a snapshot.
//
// The package makes no routing decisions (pkg/decide does) and never reads a
// secret; credentials appear as references only.
package policy

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Policy is a compiled document. Its canonical JSON does not depend on the formatting of
// the document or on the order of its mappings. The version is the SHA-256 of that JSON.
// Callers must not change a Policy.
type Policy struct {
	// Schema is the version of the document format.
	Schema int `json:"schema"`
	// Catalog is the version of the catalog that supplied omitted values.
	Catalog   string     `json:"catalog"`
	Providers []Provider `json:"providers"`
	Models    []Model    `json:"models"`
	Defaults  Defaults   `json:"defaults"`
	Routes    []Route    `json:"routes"`
	// Experiments compare candidates on real requests.
	Experiments []Experiment `json:"experiments,omitempty"`

	version   string
	canonical []byte
	providers map[string]*Provider
	models    map[string]*Model
	aliases   map[string]*Model
	routes    map[string]*Route
	// presets are the routes of addPresets. routes contains them.
	presets []Route
}

// Provider is a configured upstream that serves models.
type Provider struct {
	Name         string          `json:"name"`
	Kind         string          `json:"kind"`
	BaseURL      string          `json:"base_url,omitempty"`
	Keys         []CredentialRef `json:"keys,omitempty"`
	Timeouts     Timeouts        `json:"timeouts"`
	AllowPrivate bool            `json:"allow_private,omitempty"`
	// HTTP2 offers HTTP/2 to the upstream during the TLS handshake.
	HTTP2 bool `json:"http2,omitempty"`
	// Proxy is how calls reach the provider: "" directly, ProxyEnv through the proxy that
	// the environment of the proxy process names, or through the proxy at this URL.
	Proxy  string   `json:"proxy,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Limits Limits   `json:"limits,omitzero"`
	// Wire describes how the provider deviates from the wire format of its kind. Nil means
	// that the provider does not deviate.
	Wire *catalog.Wire `json:"wire,omitempty"`
	// Cache describes the provider's prompt cache where the catalog or the document does.
	// PromptCache has the effective values.
	Cache *catalog.Cache `json:"cache,omitempty"`
}

// PromptCache returns the provider's prompt cache. What neither the catalog nor the document
// describes has the default of the provider's kind.
func (p *Provider) PromptCache() catalog.Cache { return p.Cache.Or(catalog.DefaultCache(p.Kind)) }

// CredentialRef is a reference to a credential: env:NAME or file:PATH.
type CredentialRef struct {
	Ref string `json:"ref"`
	// Weight is the credential's share of the calls to the provider; 0 counts as 1.
	Weight int `json:"weight,omitempty"`
}

// Limits bound the gateway's calls to a provider; 0 means no limit.
type Limits struct {
	RequestsPerMinute int64 `json:"requests,omitempty"`
	TokensPerMinute   int64 `json:"tokens,omitempty"`
	// Concurrent is the maximum number of concurrent calls.
	Concurrent int64 `json:"concurrent,omitempty"`
}

// Timeouts limit the duration of one attempt.
type Timeouts struct {
	Connect    time.Duration `json:"connect"`
	FirstToken time.Duration `json:"first_token"`
	Idle       time.Duration `json:"idle"`
	Total      time.Duration `json:"total"`
}

// Model is a model of the policy with the endpoints that serve it.
type Model struct {
	catalog.Model
	// Unlisted marks a catalog model that the document does not list, but whose provider
	// the document configures. Clients can request the model. Routes never choose it.
	Unlisted  bool       `json:"unlisted,omitempty"`
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is where a provider serves a model. If Prices, Context or MaxOutput is zero,
// the model's value applies. Use the methods of Model to read the effective values.
type Endpoint struct {
	Provider string `json:"provider"`
	// UpstreamModel is the provider's own name for the model.
	UpstreamModel string          `json:"upstream"`
	Prices        []catalog.Price `json:"prices,omitempty"`
	Context       int64           `json:"context,omitempty"`
	MaxOutput     int64           `json:"max_output,omitempty"`
	// Lacks lists the model's capabilities that this endpoint does not support.
	Lacks []catalog.Capability `json:"lacks,omitempty"`
	Wire  *catalog.Wire        `json:"wire,omitempty"`
	// cache is the prompt cache of the provider, so that decisions need no lookup.
	cache catalog.Cache
}

// Defaults are the settings that apply to all routes.
type Defaults struct {
	Baseline          string  `json:"baseline,omitempty"`
	EmbeddingBaseline string  `json:"embedding_baseline,omitempty"`
	Retries           Retries `json:"retries"`
	Breaker           Breaker `json:"breaker"`
	Logging           Logging `json:"logging,omitzero"`
}

// Logging configures the redaction of stored content.
type Logging struct {
	// Redact lists patterns in addition to the built-in ones. When content is redacted,
	// text that matches a pattern is replaced by a marker.
	Redact []Pattern `json:"redact,omitempty"`
}

// Pattern is a named RE2 regular expression.
type Pattern struct {
	Name    string `json:"name"`
	Pattern string `json:"pattern"`
}

// Version returns the SHA-256 of the canonical form in hex.
func (p *Policy) Version() string { return p.version }

// Canonical returns the encoded form that Version hashes. Callers must not change the
// slice.
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

// ModelByAlias finds a model by one of its aliases.
func (p *Policy) ModelByAlias(name string) (*Model, bool) {
	v, ok := p.aliases[name]
	return v, ok
}

// Route finds a route or a preset by name and kind. For embeddings, auto means auto-embed. The names
// ClaudeAuto and GeminiAuto mean auto.
func (p *Policy) Route(name string, kind catalog.Kind) (*Route, bool) {
	name = p.resolveAutoAlias(name)
	if kind == catalog.Embeddings && name == "auto" {
		name = "auto-embed"
	}
	v, ok := p.routes[name]
	if !ok || v.Kind != kind {
		return nil, false
	}
	return v, true
}
