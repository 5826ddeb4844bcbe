package catalog

// Entry is a model of the catalog with its endpoints and its description.
type Entry struct {
	Model
	ModelInfo
	Endpoints []Endpoint `json:"endpoints"`
}

// ModelInfo describes a model for people. It does not affect routing, except that the
// default policy omits models that retire soon.
type ModelInfo struct {
	Name string `json:"name,omitempty"`
	// InputMedia and OutputMedia list media: text, image, audio, video, pdf.
	InputMedia  []string `json:"takes,omitempty"`
	OutputMedia []string `json:"gives,omitempty"`
	// Dimensions is the length of an embedding.
	Dimensions int64 `json:"dimensions,omitempty"`
	// KnowledgeCutoff is the last day or month of the training data.
	KnowledgeCutoff string `json:"knowledge,omitempty"`
	Lifecycle
	// QualitySource is where the quality priors come from.
	QualitySource string `json:"quality_source,omitempty"`
	// UnusualPrice confirms a price that differs a lot from the prices of other models
	// of the same kind. Without it, such a price is rejected.
	UnusualPrice bool `json:"unusual_price,omitempty"`
	// Benchmarks are third-party measurements for display. Different benchmarks are not
	// comparable with each other.
	Benchmarks []Benchmark `json:"figures,omitempty"`
}

// Status is the lifecycle stage of a model.
type Status string

// The lifecycle stages of a model.
const (
	StatusActive     Status = "active"
	StatusPreview    Status = "preview"
	StatusDeprecated Status = "deprecated"
)

// Lifecycle is the status of a model with its dates. A date has the form 2006-01-02; ""
// means unknown.
type Lifecycle struct {
	Status      Status `json:"status,omitempty"`
	Released    string `json:"released,omitempty"`
	Retires     string `json:"retires,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

// Benchmark is one measurement.
type Benchmark struct {
	Name   string  `json:"name"`
	Effort string  `json:"effort,omitempty"`
	Value  float64 `json:"value"`
	Source string  `json:"source,omitempty"`
	Date   string  `json:"date,omitempty"`
}

// Conflict is a field on which sources disagree, with the value of each source in
// tokens or pico-USD per token.
type Conflict struct {
	Field  string           `json:"field"`
	Values map[string]int64 `json:"values"`
}

// Source is where prices come from.
type Source struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Date  string `json:"date"`
}
