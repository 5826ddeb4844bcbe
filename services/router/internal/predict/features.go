package predict

import "github.com/signalbox/signalbox/pkg/decide"

// The features that a reading adds to a request. They are recorded, so that a prediction
// can be repeated without the text.
const (
	// FeatureSimilarity is from 1 to Inside. It is absent outside of what was learned.
	FeatureSimilarity = "learned"
	// FeatureCollection is the number of the collection.
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
	if r.collection.Strict {
		return f
	}
	return append(f,
		decide.NamedValue{Name: FeatureSimilarity, Value: r.Similarity},
		decide.NamedValue{Name: FeatureEase, Value: r.ease() * 1000 / unit},
		decide.NamedValue{Name: FeatureError, Value: r.collection.Error},
		decide.NamedValue{Name: FeatureCollection, Value: r.collection.Number}).SortUnique()
}

// FromFeatures returns the probability of a good response of a model with an ability, in
// thousandths, and the similarity. The probability is valid if the similarity is above 0.
func (p *Predictor) FromFeatures(f decide.NamedValues, ability int64) (probability, similarity int64) {
	c := p.collection(f.GetOrZero(FeatureCollection))
	if c == nil {
		return 0, 0
	}
	ease := min(max(f.GetOrZero(FeatureEase), -maxEase), maxEase) * unit / 1000
	return c.byAbility(ability, ease) * 1000 / one, min(max(f.GetOrZero(FeatureSimilarity), 0), Inside)
}

// maxEase limits a recorded ease, in thousandths of a logit.
const maxEase = 20_000

// collection returns the collection with a number, or nil.
func (p *Predictor) collection(number int64) *Collection {
	for i := range p.weights.Collections {
		if c := &p.weights.Collections[i]; c.Number == number {
			return c
		}
	}
	return nil
}

// CollectionNames returns the names of the collections. The one with the number n is at n-1;
// numbers that are not in use have no name.
func (p *Predictor) CollectionNames() []string {
	var names []string
	for i := range p.weights.Collections {
		c := &p.weights.Collections[i]
		for int64(len(names)) < c.Number {
			names = append(names, "")
		}
		names[c.Number-1] = c.Name
	}
	return names
}
