package predict

import "github.com/signalbox/signalbox/pkg/decide"

// The features that a reading adds to a request. They are recorded, so that a prediction
// can be repeated without the text.
const (
	// FeatureSimilarity is from 1 to Inside. It is absent outside of what was learned.
	FeatureSimilarity = "learned"
	// FeatureCollection is the number of the collection, from 1 on.
	FeatureCollection = "learned_kind"
	// FeatureEase is the ease in thousandths of a logit.
	FeatureEase = "learned_ease"
	// FeatureError is the typical error of the predicted quality, in thousandths.
	FeatureError = "learned_error"
)

// AppendFeatures appends the features of a text to f, its features by package features, and
// sorts them by name. It adds nothing outside of what was learned, and in strict collections.
func (p *Predictor) AppendFeatures(f decide.NamedValues, scratch *Scratch, text string) decide.NamedValues {
	if text == "" {
		return f
	}
	r := p.Read(scratch, f, text)
	if r.Similarity == 0 {
		return f
	}
	part := &r.parts[0]
	if part.collection.Strict {
		return f
	}
	return append(f,
		decide.NamedValue{Name: FeatureSimilarity, Value: r.Similarity},
		decide.NamedValue{Name: FeatureEase, Value: part.easeOf(&r.in) * 1000 / unit},
		decide.NamedValue{Name: FeatureError, Value: part.collection.Error},
		decide.NamedValue{Name: FeatureCollection, Value: int64(r.Collection) + 1}).SortUnique()
}

// FromFeatures returns the probability of a good response of a model with an ability, in
// thousandths, and the similarity. The probability is valid if the similarity is above 0.
func (p *Predictor) FromFeatures(f decide.NamedValues, ability int64) (probability, similarity int64) {
	at := f.GetOrZero(FeatureCollection) - 1
	if at < 0 || at >= int64(len(p.weights.Collections)) {
		return 0, 0
	}
	c := &p.weights.Collections[at]
	ease := min(max(f.GetOrZero(FeatureEase), -maxEase), maxEase) * unit / 1000
	probability = logistic(c.Base+c.Slope*min(max(ability, 0), 1000)+ease) * 1000 / one
	return probability, min(max(f.GetOrZero(FeatureSimilarity), 0), Inside)
}

// maxEase limits a recorded ease, in thousandths of a logit.
const maxEase = 20_000

// CollectionNames returns the names of the collections, in the order of FeatureCollection.
func (p *Predictor) CollectionNames() []string {
	var names []string
	for i := range p.weights.Collections {
		names = append(names, p.weights.Collections[i].Name)
	}
	return names
}
