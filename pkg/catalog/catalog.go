// Package catalog knows models: what they can do, how much they hold, and what
// they cost. It holds the one function that computes money. It does not know
// who may use a model, nor which one to choose.
package catalog

import "time"

// Capability is something a request may need and a model may lack.
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
	// Logprobs and Choices (more answers than one) are a matter of the place:
	// every model has them, except where a place does not.
	Logprobs Capability = "logprobs"
	Choices  Capability = "choices"
)

// Kind is what a model is called for.
type Kind string

// The kinds of model.
const (
	Chat       Kind = "chat"
	Embeddings Kind = "embeddings"
)

// Model is what is known of a model, wherever it is served.
type Model struct {
	// ID is our name of it, such as gpt-x.
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Aliases are other names of it that callers may send.
	Aliases []string `json:"aliases,omitempty"`
	// Family names the weights, where that is not the id.
	Family       string       `json:"family,omitempty"`
	Context      int64        `json:"context"`
	MaxOutput    int64        `json:"max_output,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
	// Unknown are the capabilities of which nobody has told; a request that
	// needs one goes elsewhere. What is in neither list it cannot do.
	Unknown []Capability `json:"unknown,omitempty"`
	// Efforts are the words for how hard it can be told to think, the least
	// first; none means it has no such setting, or that it is not known.
	Efforts []string `json:"efforts,omitempty"`
	// Tokenizer is the encoding it counts by, where that is public.
	Tokenizer string `json:"tokenizer,omitempty"`
	// Prices in order of their dates, the oldest first. None means unpriced.
	Prices []Price `json:"prices,omitempty"`
	// Quality priors by topic, in thousandths.
	Quality map[string]int64 `json:"quality,omitempty"`
}

// Price is what a token costs from a day on, in pico-USD (a millionth of a
// millionth of a dollar), which is the same number as micro-USD per million
// tokens.
type Price struct {
	Effective  time.Time `json:"effective"`
	Input      int64     `json:"input"`
	CacheRead  int64     `json:"cache_read"`
	CacheWrite int64     `json:"cache_write"`
	// CacheWrite1h is for what is kept an hour; 0 means it costs like any other
	// write.
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
	// Tiers replace the amounts for larger requests, the smallest first.
	Tiers []Tier `json:"tiers,omitempty"`
	// Source is where it was read, by id; see Source.
	Source string `json:"source,omitempty"`
}

// Tier is what every token of a request costs, the first included, when its
// input, the cached with it, is larger than Above.
type Tier struct {
	Above        int64 `json:"above"`
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
}

// Usage is the tokens of a call in disjoint buckets; Reasoning is a part of
// Output, and CacheWrite1h of CacheWrite.
type Usage struct {
	Input        int64
	CacheRead    int64
	CacheWrite   int64
	CacheWrite1h int64
	Output       int64
	Reasoning    int64
}

// Endpoint is a place that serves a model, by the provider's id and the
// provider's own name of the model. The rest is where the place differs from
// what is said of the model, and nothing where it does not.
type Endpoint struct {
	Provider  string  `json:"provider"`
	Model     string  `json:"model"`
	Prices    []Price `json:"prices,omitempty"`
	Context   int64   `json:"context,omitempty"`
	MaxOutput int64   `json:"max_output,omitempty"`
	// Lacks are the model's capabilities that this place does not offer, and
	// Unknown those of which that is not known.
	Lacks   []Capability `json:"lacks,omitempty"`
	Unknown []Capability `json:"unknown,omitempty"`
	Wire    *Wire        `json:"wire,omitempty"`
	// Confidence is how well the sources agree on its price: high, medium or
	// low. Note says why this price was taken, and Conflicts what others said.
	Confidence string     `json:"confidence,omitempty"`
	Note       string     `json:"note,omitempty"`
	Conflicts  []Conflict `json:"conflicts,omitempty"`
}
