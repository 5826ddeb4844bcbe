package explain

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/decide"
)

// The features that the router's learned predictor records.
const (
	// featureResemblance is how much the text resembles what was learned, from 1 to inside.
	// It is absent outside.
	featureResemblance = "learned"
	// featureCollection is the number of the collection of texts that it resembles most.
	featureCollection = "learned_kind"
	// featureEase is how easy the text is among those of its collection, in thousandths of
	// a logit.
	featureEase = "learned_ease"
	// featureError is the typical error of the learned quality, in thousandths.
	featureError = "learned_error"
)

// inside is the value of featureResemblance for a text that resembles a collection fully.
const inside = 1000

// collection is a collection of texts that the predictor learned from.
type collection struct {
	// name is the name in the weights, and kind a name for one request.
	name, kind string
	// points is how hard the questions are for the models of the training.
	points int64
	// needs are features of which a request has at least one, if its kind is called so. The
	// predictor also takes other texts for members of a collection, and it would be odd to
	// call a text without options a multiple choice. The guard names the collection in any
	// case.
	needs []string
	// features say no more than the kind.
	features []string
}

// collections are in the order of featureCollection. New weights may append to the list, but
// must not reorder it, because records keep the number. A test of the router compares it with
// the weights.
var collections = [...]collection{
	{"general knowledge questions", "general knowledge question with options", 0, []string{"options"}, []string{"options", "questions", "maths", "numbers"}},
	{"university-level questions", "university-level question with options", 200, []string{"options"}, []string{"options", "questions", "maths", "numbers"}},
	{"grade-school mathematics", "grade-school mathematics", 0, []string{"maths", "numbers"}, mathsFeatures},
	{"competition mathematics", "competition mathematics", 350, []string{"maths", "latex"}, append([]string{"code"}, mathsFeatures...)},
	{"multiple-choice questions", "multiple-choice question", 0, []string{"options"}, []string{"options", "questions"}},
	{"short factual questions", "short factual question", -50, []string{"questions"}, []string{"length", "questions", "asks_what"}},
	{"programming exercises", "programming exercise", 120, []string{"code_words", "code"}, []string{"code", "code_words", "task_write", "task_implement", "maths"}},
	{"sentences from given words", "sentence from given words", -50, []string{"wants_words", "wants_short"}, nil},
}

// sayLearnedFrom is the resemblance from which on a collection can be the kind of a request.
// Below it, the features say more.
const sayLearnedFrom = 500

// isKindOf reports whether the kind of a request is called like its collection. A text that is
// much easier than the others is not: "What is 12 * 13?" is no competition mathematics.
func (c *collection) isKindOf(f decide.NamedValues) bool {
	if f.GetOrZero(featureResemblance) < sayLearnedFrom || easeOf(f) >= sayEaseFrom {
		return false
	}
	return slices.ContainsFunc(c.needs, func(name string) bool { return f.GetOrZero(name) > 0 })
}

// CollectionNames returns the names of the collections in the order of their numbers.
func CollectionNames() []string {
	var names []string
	for i := range collections {
		names = append(names, collections[i].name)
	}
	return names
}

func collectionOf(f decide.NamedValues) (*collection, bool) {
	n := f.GetOrZero(featureCollection)
	if n < 1 || n > int64(len(collections)) {
		return nil, false
	}
	return &collections[n-1], true
}

// sayEaseFrom is the ease, in thousandths of a logit, from which on it is a reason. Half a
// logit moves a probability of 0.5 to 0.62.
const sayEaseFrom = 500

// easeOf returns the learned ease, as far as the text resembles what was learned.
func easeOf(f decide.NamedValues) int64 {
	return f.GetOrZero(featureEase) * min(f.GetOrZero(featureResemblance), inside) / inside
}

// findEase says whether the text is hard or easy among those that it resembles.
func findEase(f decide.NamedValues) finding {
	switch ease := easeOf(f); {
	case ease <= -sayEaseFrom:
		return found("harder than most of its kind", min(-ease/4, 400), featureEase)
	case ease >= sayEaseFrom:
		return found("easier than most of its kind", max(-ease/4, -400), featureEase)
	}
	return finding{}
}
