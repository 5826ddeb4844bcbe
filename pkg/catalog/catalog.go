// Package catalog describes models and providers: capabilities, context windows,
// prices and wire formats. The data is embedded (models.json, providers.json) and
// checked on load. Cost is the only function in the project that computes money, in
// integers. The package does not know which keys may use a model or which model a
// request gets; pkg/policy and pkg/decide do.
package catalog

import "time"

// Capability is a feature that a request may need and a model may lack.
type Capability string

// The capabilities that requests are checked against.
const (
	Tools      Capability = "tools"
	JSONObject Capability = "json_object"
	JSONSchema Capability = "json_schema"
	Vision     Capability = "vision"
	Audio      Capability = "audio"
	Files      Capability = "files"
	Reasoning  Capability = "reasoning"
	// Logprobs and Choices (more than one response) depend on the endpoint: every
	// model has them unless its endpoint lacks them.
	Logprobs Capability = "logprobs"
	Choices  Capability = "choices"
)

// Kind is the kind of request that a model serves.
type Kind string

// The kinds of model.
const (
	Chat       Kind = "chat"
	Embeddings Kind = "embeddings"
)

// Model describes a model independently of where it is served.
type Model struct {
	// ID is the catalog's name of the model, such as gpt-x.
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Aliases are other names that clients may send.
	Aliases []string `json:"aliases,omitempty"`
	// Family names the weights if they differ from the id.
	Family       string       `json:"family,omitempty"`
	Context      int64        `json:"context"`
	MaxOutput    int64        `json:"max_output,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
	// Unknown lists capabilities without reliable information. Requests that need one
	// are not sent there. Capabilities in neither list are unsupported.
	Unknown []Capability `json:"unknown,omitempty"`
	// Efforts lists the supported reasoning efforts, lowest first. An empty list means
	// no such setting, or none known.
	Efforts []string `json:"efforts,omitempty"`
	// Tokenizer is the model's encoding, if it is public.
	Tokenizer string `json:"tokenizer,omitempty"`
	// Prices are sorted by date, oldest first. None means unpriced.
	Prices []Price `json:"prices,omitempty"`
	// Quality has priors by topic, in thousandths.
	Quality map[string]int64 `json:"quality,omitempty"`
}

// Price is the price of a token from a date on. Amounts are pico-USD per token, which
// is the same number as micro-USD per million tokens.
type Price struct {
	Effective  time.Time `json:"effective"`
	Input      int64     `json:"input"`
	CacheRead  int64     `json:"cache_read"`
	CacheWrite int64     `json:"cache_write"`
	// CacheWrite1h is the price of a cache write retained for one hour; 0 means the
	// same as CacheWrite.
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
	// Tiers replace the amounts for larger requests, smallest first.
	Tiers []Tier `json:"tiers,omitempty"`
	// Source is the id of the Source of the price.
	Source string `json:"source,omitempty"`
}

// Tier has the prices of every token of a request whose input, including cached
// tokens, is larger than Above.
type Tier struct {
	Above        int64 `json:"above"`
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
}

// Usage counts the tokens of a call in disjoint buckets. Reasoning is a part of
// Output, and CacheWrite1h a part of CacheWrite.
type Usage struct {
	Input        int64
	CacheRead    int64
	CacheWrite   int64
	CacheWrite1h int64
	Output       int64
	Reasoning    int64
}

// Endpoint is where a provider serves a model. Model is the provider's own name for
// it. The other fields are set only where the endpoint differs from the model.
type Endpoint struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Prices    []Price `json:"prices,omitempty"`
	Context   int64   `json:"context,omitempty"`
	MaxOutput int64   `json:"max_output,omitempty"`
	// Lacks lists the model's capabilities that this endpoint does not support;
	// Unknown lists those without reliable information.
	Lacks   []Capability `json:"lacks,omitempty"`
	Unknown []Capability `json:"unknown,omitempty"`
	Wire    *Wire        `json:"wire,omitempty"`
	// Confidence is how well the sources agree on the price: high, medium or low. Note
	// says why this price was chosen, and Conflicts what other sources say.
	Confidence string     `json:"confidence,omitempty"`
	Note       string     `json:"note,omitempty"`
	Conflicts  []Conflict `json:"conflicts,omitempty"`
}
