// Package catalog describes models and providers: capabilities, context windows,
// prices and wire formats. The data is embedded (models.json, providers.json) and
// checked on load. Cost computes the cost of a call in integer arithmetic. Package policy
// adds the operator's settings. Package decide chooses the model of a request.
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
	// Logprobs and Choices (several responses to one request) depend on the endpoint.
	// Every model has both, unless its endpoint lacks them.
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
	// Family is the name of the model's weights. It is empty if it equals ID.
	Family       string       `json:"family,omitempty"`
	Context      int64        `json:"context"`
	MaxOutput    int64        `json:"max_output,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
	// Unknown lists capabilities without reliable information. A request that needs
	// one of them is not sent to the model.
	Unknown []Capability `json:"unknown,omitempty"`
	// Efforts lists the supported reasoning efforts, lowest first. An empty list means
	// that the model has no such setting, or that its efforts are unknown.
	Efforts []string `json:"efforts,omitempty"`
	// OutputLength is the usual length of a response in tokens, including its reasoning, if
	// the request sets no effort. 0 means unknown.
	OutputLength int64 `json:"output_length,omitempty"`
	// Tokenizer is the name of the model's token encoding, such as o200k_base. It is
	// empty if the encoding is not public.
	Tokenizer string `json:"tokenizer,omitempty"`
	// Prices are sorted by date, oldest first. An empty list means that the model has
	// no price.
	Prices []Price `json:"prices,omitempty"`
	// Quality maps topics to the assumed quality of the model, from 0 to 1000. Learned
	// quality replaces these values.
	Quality map[string]int64 `json:"quality,omitempty"`
}

// Price holds the prices of tokens from a date on. Amounts are pico-USD per token. The
// same numbers are micro-USD per million tokens.
type Price struct {
	Effective  time.Time `json:"effective"`
	Input      int64     `json:"input"`
	CacheRead  int64     `json:"cache_read"`
	CacheWrite int64     `json:"cache_write"`
	// CacheWrite1h is the price of writing a token to the cache for one hour. 0 means
	// the same price as CacheWrite.
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
	// Tiers replace the amounts for larger requests. They are sorted by size, smallest
	// first.
	Tiers []Tier `json:"tiers,omitempty"`
	// Source is the id of the Source that lists the price.
	Source string `json:"source,omitempty"`
}

// Tier has the prices for a request whose input, including cached tokens, is larger
// than Above. The prices of the tier apply to every token of the request.
type Tier struct {
	Above        int64 `json:"above"`
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
}

// Usage counts the tokens of a call. Each token is counted once, with two exceptions:
// Reasoning is part of Output, and CacheWrite1h is part of CacheWrite.
type Usage struct {
	Input        int64
	CacheRead    int64
	CacheWrite   int64
	CacheWrite1h int64
	Output       int64
	Reasoning    int64
}

// Endpoint is where a provider serves a model. Model is the provider's own name for
// the model. Prices, Context and MaxOutput are set only if they differ from the model's.
type Endpoint struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Prices    []Price `json:"prices,omitempty"`
	Context   int64   `json:"context,omitempty"`
	MaxOutput int64   `json:"max_output,omitempty"`
	// Lacks lists the model's capabilities that this endpoint does not support.
	Lacks []Capability `json:"lacks,omitempty"`
	// Unknown lists the model's capabilities without reliable information for this
	// endpoint.
	Unknown []Capability `json:"unknown,omitempty"`
	Wire    *Wire        `json:"wire,omitempty"`
	// Confidence is how well the sources agree on the price: high, medium or low.
	Confidence string `json:"confidence,omitempty"`
	// Note holds remarks about the endpoint, such as why this price was chosen.
	Note string `json:"note,omitempty"`
	// Conflicts lists the fields on which the sources disagree.
	Conflicts []Conflict `json:"conflicts,omitempty"`
}
