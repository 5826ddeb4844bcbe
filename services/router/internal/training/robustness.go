package training

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

// edit is a change of a text that should not change a decision.
type edit struct {
	name  string
	apply func(text string, random *rand.Rand) string
}

func edits() []edit {
	return []edit{
		{"white space", func(text string, _ *rand.Rand) string { return "  " + strings.ReplaceAll(text, " ", "  ") + "\n" }},
		{"lower case", func(text string, _ *rand.Rand) string { return strings.ToLower(text) }},
		{"typos", addTypos},
		{"polite prefix", func(text string, _ *rand.Rand) string { return "Could you please help me with this? " + text }},
		{"paraphrase", func(text string, _ *rand.Rand) string { return paraphrase(text) }},
		{"held out", func(text string, _ *rand.Rand) string { return heldOutParaphrase(text) }},
	}
}

// addTypos swaps two letters inside every twelfth word on average.
func addTypos(text string, random *rand.Rand) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if len(word) > 3 && random.IntN(12) == 0 {
			at := 1 + random.IntN(len(word)-2)
			words[i] = word[:at-1] + string(word[at]) + string(word[at-1]) + word[at+1:]
		}
	}
	return strings.Join(words, " ")
}

// robustnessSamples is the number of texts of each kind.
const robustnessSamples = 200

// PrintRobustness writes the share of decisions that edits of the text leave as they are. A
// decision is the least able of three models whose predicted quality is at least 0.97 of
// the best.
func (l *Lab) PrintRobustness(out io.Writer, p *predict.Predictor, cat *catalog.Catalog) {
	d := &decider{reader: l.reader, learned: p, priors: quality.NewPriors(cat, p)}
	fmt.Fprintf(out, "Decisions that an edit of the text leaves as they are\n\n%-30s", "texts")
	for _, e := range edits() {
		fmt.Fprintf(out, " %13s", e.name)
	}
	fmt.Fprintln(out)
	for c, samples := range l.corpus.samples {
		d.print(out, l.corpus.sources[c].name, samples)
	}
	d.print(out, "everyday", l.corpus.everyday)
	var open []sample
	for _, p := range openEndedPrompts() {
		open = append(open, sample{text: p.text})
	}
	d.print(out, "open-ended", open)
	fmt.Fprintln(out)
}

// decider makes simple decisions.
type decider struct {
	reader  *reader
	learned *predict.Predictor
	priors  *quality.Priors
	scratch predict.Scratch
}

func (d *decider) print(out io.Writer, name string, samples []sample) {
	fmt.Fprintf(out, "%-30s", name)
	step := max(len(samples)/robustnessSamples, 1)
	for _, e := range edits() {
		random, same, n := rand.New(rand.NewPCG(3, 4)), 0.0, 0.0 //nolint:gosec // not for secrets
		for i := 0; i < len(samples); i += step {
			if d.decide(samples[i].text) == d.decide(e.apply(samples[i].text, random)) {
				same++
			}
			n++
		}
		fmt.Fprintf(out, " %12.1f%%", 100*same/n)
	}
	fmt.Fprintln(out)
}

// decide returns the index of the chosen model; 0 is the least able.
func (d *decider) decide(text string) int {
	f := d.learned.AppendFeatures(enrich.ReadFeatures(nil, d.reader.features, text), &d.scratch, text)
	var models []*policy.Model
	for i, ability := range []int64{550, 700, 830} {
		models = append(models, &policy.Model{Model: catalog.Model{ID: fmt.Sprint(i), Quality: map[string]int64{topic.General: ability}}})
	}
	predicted := d.priors.Predict(nil, f, models)
	for i := range predicted {
		if predicted[i].Value*100 >= predicted[len(predicted)-1].Value*97 {
			return i
		}
	}
	return len(predicted) - 1
}
