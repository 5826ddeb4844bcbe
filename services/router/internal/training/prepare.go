package training

import (
	"math"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

// reader turns texts into samples.
type reader struct {
	features *features.Reader
	priors   *quality.Priors
	style    []string
}

func newReader(cat *catalog.Catalog) *reader {
	return &reader{features: features.NewReader(), priors: quality.NewPriors(cat, nil), style: predict.StyleNames()}
}

func (r *reader) read(text string) sample {
	core := predict.Core(text)
	v := r.features.Read(core)
	f := v.AppendTo(nil)
	return sample{
		text: text, rows: predict.Rows(core), style: predict.StyleOf(nil, r.style, f, core),
		outcomes: map[arm]float64{},
	}
}

// readVaried returns a sample with variants, which share its outcomes.
func (r *reader) readVaried(text string, i int) sample {
	s := r.read(text)
	s.staticGap = r.staticGap(r.priors.Difficulty(enrich.ReadFeatures(nil, r.features, text)))
	for _, edited := range vary(text, i) {
		variant := r.read(edited)
		variant.outcomes = s.outcomes
		s.variants = append(s.variants, variant)
	}
	return s
}

// join returns the samples of sets; each is a panel. Outcomes of the same text are joined;
// several outcomes of one model in a panel are averaged.
func (r *reader) join(sets []*Set) []sample {
	byText, counts := map[string]int{}, map[string]map[arm]float64{}
	var all []sample
	for panel, set := range sets {
		for i, text := range set.Texts {
			at, known := byText[text]
			if !known {
				at = len(all)
				byText[text], counts[text] = at, map[arm]float64{}
				all = append(all, r.readVaried(text, at))
			}
			for m, name := range set.Models {
				if score := set.Scores[i][m]; !math.IsNaN(score) {
					key := arm{panel, predict.Normalise(name)}
					n := counts[text][key]
					all[at].outcomes[key] = (all[at].outcomes[key]*n + score) / (n + 1)
					counts[text][key] = n + 1
				}
			}
		}
	}
	return all
}

// leastDocuments is the number of texts that must contain a word. Rarer words do not count:
// they tell little, and every typo would be one.
const leastDocuments = 2

// documentFrequencies returns the inverse document frequency of each word row, in 1/16.
func documentFrequencies(collections [][]sample) []uint8 {
	counts, total := make([]float64, predict.WordRows), 0.0
	for _, samples := range collections {
		for _, s := range samples {
			total++
			for _, row := range s.rows {
				counts[row]++
			}
		}
	}
	idf := make([]uint8, len(counts))
	for i, n := range counts {
		if n < leastDocuments {
			continue
		}
		idf[i] = uint8(min(16*(1+math.Log((1+total)/(1+n))), 255))
	}
	return idf
}

// standardise sets the means and scales of the style features.
func standardise(b *predict.Block, samples []sample) {
	b.Mean, b.Scale = nil, nil
	for j := range samples[0].style {
		sum, squares, n := 0.0, 0.0, float64(len(samples))
		for _, s := range samples {
			sum += float64(s.style[j])
			squares += float64(s.style[j]) * float64(s.style[j])
		}
		deviation := math.Sqrt(max(squares/n-sum/n*sum/n, 0))
		b.Mean = append(b.Mean, int32(math.Round(sum/n)))
		b.Scale = append(b.Scale, scaleOf(deviation))
	}
}

// scaleOf returns 0 for a feature that hardly varies, so that it does not count.
func scaleOf(deviation float64) int32 {
	if deviation < minDeviation {
		return 0
	}
	return int32(math.Round(256 * 4096 / deviation))
}

// minDeviation is the least standard deviation of a style feature that counts, in 1/256.
const minDeviation = 4
