package predict

import (
	"github.com/signalbox/signalbox/pkg/decide"
)

// Predictor predicts from weights. It is safe for concurrent use.
type Predictor struct {
	weights *Weights
	version string
	names   map[string]int
}

// New returns a predictor for a weights file.
func New(file []byte) (*Predictor, error) {
	w, version, err := Decode(file)
	if err != nil {
		return nil, err
	}
	return FromWeights(w, version), nil
}

// FromWeights returns a predictor for weights that were not encoded.
func FromWeights(w *Weights, version string) *Predictor {
	p := &Predictor{weights: w, version: version, names: map[string]int{}}
	for i, m := range w.Models {
		p.names[Normalise(m.Name)] = i
	}
	return p
}

// Version identifies the weights.
func (p *Predictor) Version() string { return p.version }

// Scratch is memory that is reused from one text to the next. The zero value is ready to use.
type Scratch struct {
	words wordSet
	style []int32
}

// Candidate is a model whose outcome is predicted.
type Candidate struct {
	// Model is the index that Lookup returned, or -1.
	Model int
	// Ability is the quality of a model without outcomes, from 0 to 1000.
	Ability int64
}

// Reading is what a text is like.
type Reading struct {
	// Collection is the index of the most similar collection.
	Collection int
	// Similarity is from 0 (outside of everything known) to Inside.
	Similarity int64

	in    input
	parts [2]share
}

// share is a collection that a text belongs to, and how much of it, in units of 1/one.
type share struct {
	collection *Collection
	share      int64
	ease       int64
	hasEase    bool
}

// Lookup returns the index of a model with outcomes, or -1.
func (p *Predictor) Lookup(name string) int {
	if i, ok := p.names[Normalise(name)]; ok {
		return i
	}
	return -1
}

// Ability returns the ability of a model with outcomes.
func (p *Predictor) Ability(model int) int64 { return p.weights.Models[model].Ability }

// Read finds the collection of a text. f holds its features. The result refers to scratch
// and is valid until the next call with the same scratch.
func (p *Predictor) Read(scratch *Scratch, f decide.NamedValues, text string) Reading {
	scratch.words.read(text)
	scratch.style = StyleOf(scratch.style[:0], p.weights.Style, f, text)
	r := Reading{in: newInput(&scratch.words, p.weights.IDF, scratch.style)}
	if len(scratch.words.rows) == 0 {
		return r
	}
	first, second := p.mostSimilar(&r.in)
	r.Collection = first.index
	r.parts[0], r.parts[1] = p.divide(first, second)
	if p.weights.Membership.value(&r.in, len(p.weights.Collections)) < first.membership {
		c := &p.weights.Collections[first.index]
		r.Similarity = c.Guard.similarity(first.membership, c.Heads.distance(&r.in))
	}
	return r
}

// rank is a collection and the membership of a text in it.
type rank struct {
	index      int
	membership int64
}

// mostSimilar returns the two collections with the greatest memberships.
func (p *Predictor) mostSimilar(in *input) (first, second rank) {
	first, second = rank{-1, 0}, rank{-1, 0}
	for c := range p.weights.Collections {
		switch m := p.weights.Membership.value(in, c); {
		case first.index < 0 || m > first.membership:
			first, second = rank{c, m}, first
		case second.index < 0 || m > second.membership:
			second = rank{c, m}
		}
	}
	return first, second
}

// divide divides a text between two collections. If their memberships are equal, each gets
// half. The share of the second falls with the eighth power of their ratio.
func (p *Predictor) divide(first, second rank) (a, b share) {
	a = share{collection: &p.weights.Collections[first.index], share: one}
	if second.index < 0 || second.membership <= 0 {
		return a, b
	}
	power := second.membership * one / first.membership
	for range 3 {
		power = power * power / one
	}
	b = share{collection: &p.weights.Collections[second.index], share: power * one / (one + power)}
	a.share -= b.share
	return a, b
}

// Name returns the name of the collection of a reading.
func (p *Predictor) Name(r *Reading) string { return p.weights.Collections[r.Collection].Name }

// Predict returns the probability of a good response, in units of 1/1000000. The reading must
// have a similarity above 0.
func (r *Reading) Predict(c Candidate) int64 {
	sum := int64(0)
	for i := range r.parts {
		if part := &r.parts[i]; part.share > minShare {
			sum += part.predict(&r.in, c) * part.share / one
		}
	}
	return min(max(sum, one/200), one-one/200) * 1_000_000 / one
}

// minShare is the least share that counts.
const minShare = one / 50

func (s *share) predict(in *input, c Candidate) int64 {
	if head := s.headOf(c.Model); head > 0 {
		return min(max(s.collection.Heads.value(in, head), 0), one)
	}
	return logistic(s.collection.Base + s.collection.Slope*min(max(c.Ability, 0), 1000) + s.easeOf(in))
}

func (s *share) easeOf(in *input) int64 {
	if !s.hasEase {
		s.ease, s.hasEase = s.collection.Heads.value(in, 0), true
	}
	return s.ease
}

// headOf returns the head of a model, or 0 if it has no outcomes here.
func (s *share) headOf(model int) int {
	heads := s.collection.Heads.Heads
	for i := 1; i < len(heads) && model >= 0; i++ {
		if heads[i].Model == model {
			return i
		}
	}
	return 0
}
