package predict

import (
	"math"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/features"
)

// Predictor predicts from weights. It is safe for concurrent use.
type Predictor struct {
	weights *Weights
	version string
	names   map[string]int
	reader  *features.Reader
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
	p := &Predictor{weights: w, version: version, names: map[string]int{}, reader: features.NewReader()}
	for i, m := range w.Models {
		p.names[Normalise(m.Name)] = i
	}
	return p
}

// Version identifies the weights.
func (p *Predictor) Version() string { return p.version }

// Scratch is memory that is reused from one text to the next. The zero value is ready to use.
type Scratch struct {
	words    wordSet
	style    []int32
	features decide.NamedValues
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

	in         input
	collection *Collection
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
	return p.read(scratch, f, text, func(*Collection) bool { return true })
}

// ReadPair is Read for a comparison of two models. Collections in which the same texts were
// answered by both come first, if the text resembles one of them. Strict collections say
// nothing about other models.
func (p *Predictor) ReadPair(scratch *Scratch, f decide.NamedValues, text string, strong, weak Candidate) Reading {
	r := p.read(scratch, f, text, func(c *Collection) bool {
		head, _ := c.headsOf(strong.Model, weak.Model)
		return head > 0
	})
	if r.Similarity > 0 {
		return r
	}
	r = p.Read(scratch, f, text)
	if r.collection != nil && r.collection.Strict {
		r.Similarity = 0
	}
	return r
}

// read finds the collection of a text among those that use selects.
func (p *Predictor) read(scratch *Scratch, f decide.NamedValues, text string, use func(*Collection) bool) Reading {
	if core := Core(text); core != text {
		v := p.reader.Read(core)
		scratch.features = v.AppendTo(scratch.features[:0])
		text, f = core, scratch.features
	}
	scratch.words.read(text)
	scratch.style = StyleOf(scratch.style[:0], p.weights.Style, f, text)
	r := Reading{in: newInput(&scratch.words, p.weights.IDF, scratch.style)}
	if len(scratch.words.rows) == 0 {
		return r
	}
	membership := p.choose(&r, use)
	// The last membership is the one of everyday texts.
	if r.collection != nil && membership > p.weights.Membership.value(&r.in, len(p.weights.Collections)) {
		r.Similarity = r.collection.similarity(&r.in, membership)
	}
	return r
}

// choose sets the collection of a reading and returns the membership in it. Among the
// collections that use selects and that have at least half of the greatest membership of all,
// it is the one in which the text stands highest. There may be none.
func (p *Predictor) choose(r *Reading, use func(*Collection) bool) (membership int64) {
	var memberships [maxNumber]int64
	greatest, highest := int64(math.MinInt64), int64(math.MinInt64)
	for i := range p.weights.Collections {
		memberships[i] = p.weights.Membership.value(&r.in, i)
		greatest = max(greatest, memberships[i])
	}
	for i := range p.weights.Collections {
		c := &p.weights.Collections[i]
		if standing := c.Guard.standing(memberships[i]); use(c) && memberships[i]*2 >= greatest && standing > highest {
			r.Collection, r.collection, membership, highest = i, c, memberships[i], standing
		}
	}
	return membership
}

// Name returns the name of the collection of a reading.
func (p *Predictor) Name(r *Reading) string { return p.weights.Collections[r.Collection].Name }
