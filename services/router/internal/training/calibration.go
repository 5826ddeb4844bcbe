package training

import (
	"fmt"
	"io"
	"math"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Calibration compares predicted probabilities with outcomes, in ten classes.
type Calibration struct {
	predicted, observed, count [10]float64
}

func (c *Calibration) add(predicted, outcome float64) {
	i := min(int(predicted*10), 9)
	c.predicted[i] += predicted
	c.observed[i] += outcome
	c.count[i]++
}

// Error is the expected calibration error: the mean distance between the predicted and the
// observed share of good responses.
func (c *Calibration) Error() float64 {
	sum, n := 0.0, 0.0
	for i := range c.count {
		sum += math.Abs(c.predicted[i] - c.observed[i])
		n += c.count[i]
	}
	return sum / n
}

// CollectionCalibration is the calibration of a collection for models with outcomes, and for
// the same models if their outcomes were not known.
type CollectionCalibration struct {
	Name              string
	Measured, Unrated Calibration
	// strict says that nothing is predicted for models without outcomes.
	strict bool
}

// calibrate adds the predictions for the samples of one fold.
func (l *Lab) calibrate(all []CollectionCalibration, p *predict.Predictor, fold int) {
	var scratch predict.Scratch
	for c, samples := range l.corpus.samples {
		all[c].Name, all[c].strict = l.corpus.sources[c].name, l.corpus.sources[c].strict
		for i := range samples {
			if s := &samples[i]; foldOf(s.text) == fold {
				v := l.reader.features.Read(s.text)
				f := v.AppendTo(nil)
				for _, a := range sortedArms(s.outcomes) {
					all[c].compare(p, &scratch, f, s, a)
				}
			}
		}
	}
}

// compare adds the predictions for one outcome, if the text is inside. Strict collections
// predict nothing for models without outcomes.
func (c *CollectionCalibration) compare(p *predict.Predictor, scratch *predict.Scratch, f decide.NamedValues, s *sample, a arm) {
	model := p.Lookup(a.model)
	if r := p.ReadPair(scratch, f, s.text, predict.Candidate{Model: model}, predict.Candidate{Model: model}); r.Similarity == predict.Inside {
		c.Measured.add(float64(r.Predict(predict.Candidate{Model: model, Ability: p.Ability(model)}))/1e6, s.outcomes[a])
	}
	if r := p.ReadPair(scratch, f, s.text, predict.Candidate{Model: -1}, predict.Candidate{Model: -1}); r.Similarity == predict.Inside {
		c.Unrated.add(float64(r.Predict(predict.Candidate{Model: -1, Ability: p.Ability(model)}))/1e6, s.outcomes[a])
	}
}

// PrintCalibration writes the calibration errors.
func PrintCalibration(out io.Writer, all []CollectionCalibration) {
	fmt.Fprintf(out, "Calibration error of texts that are inside, by cross-validation\n\n%-32s %14s %17s\n", "collection", "with outcomes", "without outcomes")
	for i := range all {
		unrated := "not predicted"
		if !all[i].strict {
			unrated = fmt.Sprintf("%.3f", all[i].Unrated.Error())
		}
		fmt.Fprintf(out, "%-32s %14.3f %17s\n", all[i].Name, all[i].Measured.Error(), unrated)
	}
	fmt.Fprintln(out)
}
