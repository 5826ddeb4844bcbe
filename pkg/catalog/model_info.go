package catalog

// Entry is a model of the catalog with its endpoints and its description.
type Entry struct {
	Model
	ModelInfo
	Endpoints []Endpoint `json:"endpoints"`
}

// ModelInfo describes a model for people. It does not affect routing, with one exception:
// the default policy omits models that are in preview, deprecated or about to retire.
type ModelInfo struct {
	Name string `json:"name,omitempty"`
	// InputMedia and OutputMedia list media: text, image, audio, video, pdf.
	InputMedia  []string `json:"takes,omitempty"`
	OutputMedia []string `json:"gives,omitempty"`
	// Dimensions is the number of values in an embedding.
	Dimensions int64 `json:"dimensions,omitempty"`
	// KnowledgeCutoff is the last day or month of the training data.
	KnowledgeCutoff string `json:"knowledge,omitempty"`
	Lifecycle
	// QualitySource describes where the values of Model.Quality come from.
	QualitySource string `json:"quality_source,omitempty"`
	// UnusualPrice confirms a price that differs a lot from the prices of other models
	// of the same kind. Without it, such a price is rejected.
	UnusualPrice bool `json:"unusual_price,omitempty"`
	// Benchmarks are published measurements for display. Values of different
	// benchmarks cannot be compared with each other.
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

// Lifecycle is the status of a model with its dates. A date has the form 2006-01-02. An
// empty date means unknown. Replacement is the id of the model to use instead.
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

// Conflict is a field on which sources disagree. Values maps the id of each source to
// its value, in tokens or pico-USD per token.
type Conflict struct {
	Field  string           `json:"field"`
	Values map[string]int64 `json:"values"`
}

// Source is a public list from which prices were taken.
type Source struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Date  string `json:"date"`
}
