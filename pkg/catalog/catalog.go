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
	ID           string       `json:"id"`
	Kind         Kind         `json:"kind"`
	Context      int64        `json:"context"`
	MaxOutput    int64        `json:"max_output,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
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
	Output     int64     `json:"output"`
}

// Usage is the tokens of a call in disjoint buckets; Reasoning alone is a part
// of another, of Output.
type Usage struct {
	Input      int64
	CacheRead  int64
	CacheWrite int64
	Output     int64
	Reasoning  int64
}

// Provider is an upstream known by name, so that a policy needs to say little
// about it.
type Provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"base_url"`
	// Env is the variable that usually holds its credential.
	Env string `json:"env,omitempty"`
}
