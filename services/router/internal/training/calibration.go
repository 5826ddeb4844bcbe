package training

import (
	"fmt"
	"io"
	"math"

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
}

// calibrate adds the predictions for the samples of one fold.
func (l *Lab) calibrate(all []CollectionCalibration, p *predict.Predictor, fold int) {
	var scratch predict.Scratch
	for c, samples := range l.corpus.samples {
		all[c].Name = l.corpus.sources[c].name
		for i := range samples {
			s := &samples[i]
			if foldOf(s.text) != fold {
				continue
			}
			v := l.reader.features.Read(s.text)
			r := p.Read(&scratch, v.AppendTo(nil), s.text)
			if r.Similarity < predict.Inside {
				continue
			}
			for model, outcome := range s.outcomes {
				candidate := predict.Candidate{Model: p.Lookup(model)}
				candidate.Ability = p.Ability(candidate.Model)
				all[c].Measured.add(float64(r.Predict(candidate))/1e6, outcome)
				candidate.Model = -1
				all[c].Unrated.add(float64(r.Predict(candidate))/1e6, outcome)
			}
		}
	}
}

// PrintCalibration writes the calibration errors.
func PrintCalibration(out io.Writer, all []CollectionCalibration) {
	fmt.Fprintf(out, "Calibration error of texts that are inside, by cross-validation\n\n%-32s %14s %17s\n", "collection", "with outcomes", "without outcomes")
	for i := range all {
		fmt.Fprintf(out, "%-32s %14.3f %17.3f\n", all[i].Name, all[i].Measured.Error(), all[i].Unrated.Error())
	}
	fmt.Fprintln(out)
}
