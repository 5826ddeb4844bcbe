package catalog

// Entry is a model of the catalog with the places that serve it and what else
// is known of it.
type Entry struct {
	Model
	About
	Endpoints []Endpoint `json:"endpoints"`
}

// About is what people want to know of a model. Nothing is decided by it, but
// that models at the end of their life are not proposed.
type About struct {
	Name string `json:"name,omitempty"`
	// Takes and Gives are media: text, image, audio, video, pdf.
	Takes []string `json:"takes,omitempty"`
	Gives []string `json:"gives,omitempty"`
	// Dimensions is the length of an embedding.
	Dimensions int64 `json:"dimensions,omitempty"`
	// Knowledge is the last day or month of what it was taught.
	Knowledge string `json:"knowledge,omitempty"`
	Lifecycle
	// QualitySource is what the quality priors were made of.
	QualitySource string `json:"quality_source,omitempty"`
	// UnusualPrice is set if a price is meant that is far from those of others
	// of the kind, which is refused otherwise.
	UnusualPrice bool `json:"unusual_price,omitempty"`
	// Figures are measurements by others, for showing: they do not compare with
	// one another.
	Figures []Figure `json:"figures,omitempty"`
}

// Status is where a model is in its life.
type Status string

// The statuses.
const (
	StatusActive     Status = "active"
	StatusPreview    Status = "preview"
	StatusDeprecated Status = "deprecated"
)

// Lifecycle has days as 2006-01-02; "" is not known.
type Lifecycle struct {
	Status      Status `json:"status,omitempty"`
	Released    string `json:"released,omitempty"`
	Retires     string `json:"retires,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

// Figure is one measurement.
type Figure struct {
	Name   string  `json:"name"`
	Effort string  `json:"effort,omitempty"`
	Value  float64 `json:"value"`
	Source string  `json:"source,omitempty"`
	Date   string  `json:"date,omitempty"`
}

// Conflict is a field on which sources differ, with what each says, in the
// field's unit: tokens, or pico-USD a token.
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
