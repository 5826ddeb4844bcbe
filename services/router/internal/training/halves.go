package training

import (
	"math"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// halves holds, for each sample, the values of all heads by the half that contains the sample
// and by the other one. Head 0 is the ease.
type halves struct {
	own, other [][]float64
}

func (f *collectionFit) predictHalves() *halves {
	var blocks [2]predict.Block
	for half := range blocks {
		var part []sample
		for i := half; i < len(f.samples); i += 2 {
			part = append(part, f.samples[i])
		}
		blocks[half] = f.fitHeads(part)
	}
	h := &halves{}
	for i := range f.samples {
		h.own = append(h.own, f.valuesOf(&blocks[i%2], i))
		h.other = append(h.other, f.valuesOf(&blocks[1-i%2], i))
	}
	return h
}

func (f *collectionFit) valuesOf(b *predict.Block, i int) []float64 {
	values := make([]float64, len(b.Heads))
	for head := range values {
		values[head] = float64(b.ValueOf(head, f.samples[i].rows, f.idf, f.samples[i].style)) / predict.One
	}
	return values
}

// differ returns the root of the mean squared difference between both halves.
func (h *halves) differ() float64 {
	sum, n := 0.0, 0.0
	for i := range h.own {
		for head := 1; head < len(h.own[i]); head++ {
			d := h.own[i][head] - h.other[i][head]
			sum, n = sum+d*d, n+1
		}
	}
	return math.Sqrt(sum / n)
}

// calibrateHeads shrinks the differences between texts to what the other half confirms.
func (h *halves) calibrateHeads(b *predict.Block, f *collectionFit) {
	cross, square, arms := 0.0, 0.0, f.heads()
	for i := range f.samples {
		for k, a := range arms {
			if score, ok := f.samples[i].outcomes[a]; ok {
				deviation := h.other[i][k+1] - f.rates[a]
				cross += deviation * (score - f.rates[a])
				square += deviation * deviation
			}
		}
	}
	factor := limitFactor(cross / square)
	for k, a := range arms {
		scaleHead(&b.Heads[k+1], factor, f.rates[a]*predict.One)
		b.Heads[k+1].Rate = int64(math.Round(f.rates[a] * predict.One))
	}
}

// limitFactor limits the correction of a calibration.
func limitFactor(factor float64) float64 {
	if math.IsNaN(factor) {
		return 1
	}
	return min(max(factor, 0.2), 3)
}

// scaleHead multiplies the difference between the value of a head and its mean.
func scaleHead(h *predict.Head, factor, mean float64) {
	h.Level = int64(math.Round(mean + factor*(float64(h.Level)-mean)))
	h.WordScale = int64(math.Round(factor * float64(h.WordScale)))
	h.StyleScale = int64(math.Round(factor * float64(h.StyleScale)))
}

// calibrateEase scales the ease, and returns the line of ability and success, so that the
// predicted probabilities are those of the outcomes. It is a logistic regression with two
// unknowns, solved by Newton's method.
func (h *halves) calibrateEase(b *predict.Block, f *collectionFit) line {
	base, factor, arms := 0.0, 1.0, sortedArms(f.rates)
	for range newtonSteps {
		var g0, g1, h00, h01, h11 float64
		for i := range f.samples {
			ease := h.other[i][0]
			for _, a := range arms {
				score, ok := f.samples[i].outcomes[a]
				if !ok {
					continue
				}
				p := logistic(base + f.slope*f.abilities[a.model] + factor*ease)
				w := p * (1 - p)
				g0, g1 = g0+score-p, g1+(score-p)*ease
				h00, h01, h11 = h00+w, h01+w*ease, h11+w*ease*ease
			}
		}
		h00, h11 = h00+1e-6, h11+1e-6
		determinant := h00*h11 - h01*h01
		base += limitStep((h11*g0 - h01*g1) / determinant)
		factor += limitStep((h00*g1 - h01*g0) / determinant)
	}
	scaleHead(&b.Heads[0], limitFactor(factor), 0)
	return line{base: base, slope: f.slope}
}

const newtonSteps = 12

func limitStep(step float64) float64 { return min(max(step, -1), 1) }
