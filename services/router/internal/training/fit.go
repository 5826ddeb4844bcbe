package training

import (
	"cmp"
	"math"
	"sync"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

const (
	// ridge is the penalty of weights, in samples. memberRidge is the one of memberships.
	// A text and its two variants are three samples.
	ridge       = 60
	memberRidge = 15
	// easeRidge is the penalty of the ease. Decisions between models without outcomes depend
	// on it, and a single word should not change them.
	easeRidge = 110
	// styleScale is the scale of a style feature beside the words, whose vector has the
	// length 1. The size of a text tells more than any other feature.
	styleScale = 0.05
	sizeScale  = 0.2
)

// styleScales returns the scale of each style feature.
func styleScales() []float64 {
	var scales []float64
	for _, name := range predict.StyleNames() {
		if name == "bytes" || name == "words" {
			scales = append(scales, sizeScale)
		} else {
			scales = append(scales, styleScale)
		}
	}
	return scales
}

// fitter fits the heads of a block to samples.
type fitter struct {
	block *predict.Block
	idf   []uint8
	ridge float64
	// weights are the weights of samples. Nil means 1 for all.
	weights []float64
}

// designOf returns the design of some samples.
func (f *fitter) designOf(samples []sample) *design {
	d, scales := &design{words: f.block.Rows}, styleScales()
	mask := uint16(f.block.Rows - 1) //nolint:gosec // at most 1<<15
	for i := range samples {
		s := &samples[i]
		values := predict.WordValues(s.rows, f.idf)
		indexes := make([]int32, len(s.rows), len(s.rows)+len(s.style))
		for k, row := range s.rows {
			indexes[k] = int32(row & mask)
		}
		for j, v := range s.style {
			if f.block.Scale[j] != 0 {
				indexes = append(indexes, int32(f.block.Rows+j)) //nolint:gosec // small
				values = append(values, scales[j]*f.block.Standardise(j, v))
			}
		}
		indexes, values = append(indexes, int32(f.block.Rows+len(s.style))), append(values, constant) //nolint:gosec // small
		d.indexes, d.values = append(d.indexes, indexes), append(d.values, values)
	}
	return d
}

// constant is the value of a feature that all samples have. It corrects the level of a head,
// because the features of the head's samples are not centred. It is large, so that the
// ridge hardly shrinks it.
const constant = 3

// target is what a head is fitted to. Samples without an outcome are NaN.
type target struct {
	model  int
	panel  int
	values []float64
	// ridge replaces the ridge of the fitter if it is not 0.
	ridge float64
}

// fit adds a head for each target.
func (f *fitter) fit(samples []sample, targets []target) {
	all := f.designOf(samples)
	weights := make([][]float64, len(targets))
	f.block.Heads = make([]predict.Head, len(targets))
	var wait sync.WaitGroup
	limit := make(chan struct{}, 2)
	for h, t := range targets {
		wait.Add(1)
		limit <- struct{}{}
		go func() {
			defer func() { <-limit; wait.Done() }()
			d, y := all.without(t.values)
			level := mean(y)
			for i := range y {
				y[i] -= level
			}
			if f.weights != nil {
				d, y = d.weighted(y, f.weights)
			}
			columns := f.block.Rows + len(f.block.Mean)
			w := d.solve(y, cmp.Or(t.ridge, f.ridge), columns+1)
			level += constant * w[columns]
			weights[h] = w[:columns]
			f.block.Heads[h] = predict.Head{Model: t.model, Panel: t.panel, Level: int64(math.Round(level * predict.One))}
		}()
	}
	wait.Wait()
	f.quantise(weights)
}

// without returns the rows whose value is not NaN, and these values.
func (d *design) without(values []float64) (*design, []float64) {
	kept, y := &design{words: d.words}, []float64{}
	for i, v := range values {
		if !math.IsNaN(v) {
			kept.indexes, kept.values = append(kept.indexes, d.indexes[i]), append(kept.values, d.values[i])
			y = append(y, v)
		}
	}
	return kept, y
}

// quantise stores weights as small integers with a scale per head.
func (f *fitter) quantise(weights [][]float64) {
	b, stride, scales := f.block, len(weights), styleScales()
	b.Words, b.Styles = make([]int8, b.Rows*stride), make([]int16, len(b.Mean)*stride)
	for h, w := range weights {
		words, styles := w[:b.Rows], w[b.Rows:]
		for j := range styles {
			styles[j] *= scales[j]
		}
		wordStep, styleStep := largest(words)/127, largest(styles)/32767
		for row, v := range words {
			b.Words[row*stride+h] = int8(roundTo(v, wordStep))
		}
		for j, v := range styles {
			b.Styles[j*stride+h] = int16(roundTo(v, styleStep))
		}
		b.Heads[h].WordScale = int64(math.Round(wordStep * (1 << 32)))
		b.Heads[h].StyleScale = int64(math.Round(styleStep * (1 << 32)))
	}
}

func largest(values []float64) float64 {
	top := 1e-9
	for _, v := range values {
		top = max(top, v, -v)
	}
	return top
}

func roundTo(v, step float64) float64 { return math.Round(v / step) }

// weighted multiplies rows and values by the roots of weights.
func (d *design) weighted(values, weights []float64) (*design, []float64) {
	out, y := &design{words: d.words, indexes: d.indexes}, make([]float64, len(values))
	for i, weight := range weights {
		root := math.Sqrt(weight)
		row := make([]float64, len(d.values[i]))
		for k, v := range d.values[i] {
			row[k] = v * root
		}
		out.values, y[i] = append(out.values, row), values[i]*root
	}
	return out, y
}
