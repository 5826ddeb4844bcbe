package training

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// dialFolder has the outcomes and the real costs of several models. Its licence does not allow
// to ship weights that were learned from it.
const dialFolder = "routerbench_subset"

// point is the mean quality and cost of a way to choose models.
type point struct{ quality, cost float64 }

// dialData is what PrintDial knows about each prompt and model: the predicted and the real
// quality and cost.
type dialData struct {
	models                                         []string
	quality, cost, predictedQuality, predictedCost [][]float64
}

// PrintDial writes at which share of the cost of the best model 95 % of its quality is reached,
// and what a dial set to 0.97 delivers. For this, heads are learned from four parts of the
// folder and judge the fifth.
func (l *Lab) PrintDial(out io.Writer, dir string) error {
	d, err := l.predictDial(dir)
	if err != nil {
		return err
	}
	singles := make([]point, len(d.models))
	best, cheap := 0, point{}
	for m := range d.models {
		if singles[m] = d.average(func(int) int { return m }); singles[m].quality > singles[best].quality {
			best = m
		}
	}
	for _, p := range singles {
		if p.cost < 0.2*singles[best].cost && p.quality > cheap.quality {
			cheap = p
		}
	}
	enough := 0.95 * singles[best].quality
	fmt.Fprintf(out, "Cost of 95 %% of the best model's quality, %s, %d prompts, %d models\n\n", dialFolder, len(d.quality), len(d.models))
	fmt.Fprintf(out, "%-40s %5.1f %%\n", "router", 100*cheapestReaching(d.curve(), enough)/singles[best].cost)
	fmt.Fprintf(out, "%-40s %5.1f %%\n", "best mixture of two models", 100*cheapestMixture(singles, enough)/singles[best].cost)
	printShare(out, "best model below 20 % of the cost", cheap, singles[best])
	printShare(out, "aim: {quality: 0.97}", d.average(func(i int) int { return d.cheapestNear(i, best, 0.97) }), singles[best])
	fmt.Fprintln(out)
	return nil
}

func printShare(out io.Writer, name string, p, of point) {
	fmt.Fprintf(out, "%-40s %5.1f %% of the quality at %.1f %% of the cost\n", name, 100*p.quality/of.quality, 100*p.cost/of.cost)
}

func (l *Lab) predictDial(dir string) (*dialData, error) {
	set, err := ReadSet(dir, dialFolder)
	if err != nil {
		return nil, err
	}
	_, costs, err := readTable(filepath.Join(dir, dialFolder, "cost_usd.csv"))
	if err != nil {
		return nil, err
	}
	d := &dialData{models: set.Models, quality: set.Scores, cost: costs}
	d.predictedQuality, d.predictedCost = make([][]float64, len(set.Texts)), make([][]float64, len(set.Texts))
	samples := make([]sample, len(set.Texts))
	for i, text := range set.Texts {
		samples[i] = l.reader.readVaried(text, i)
		for m, name := range set.Models {
			if score := set.Scores[i][m]; !math.IsNaN(score) {
				samples[i].outcomes[arm{0, predict.Normalise(name)}] = score
			}
		}
	}
	for fold := range Folds {
		l.predictFold(d, samples, costs, fold)
	}
	return d, nil
}

func (l *Lab) predictFold(d *dialData, samples []sample, costs [][]float64, fold int) {
	var known []sample
	var knownCosts [][]float64
	for i := range samples {
		if i%Folds != fold {
			known, knownCosts = append(known, samples[i]), append(knownCosts, costs[i])
		}
	}
	index := map[string]int{}
	for m, name := range d.models {
		index[predict.Normalise(name)] = m
	}
	idf := documentFrequencies([][]sample{known})
	fit := collectionFit{src: source{name: dialFolder, rows: 1 << 14}, samples: known, rates: successRates(known), index: index, idf: idf}
	c := fit.fit()
	lines := make([]line, len(d.models))
	for m := range lines {
		lines[m] = costLine(known, knownCosts, m)
	}
	for i := range samples {
		if i%Folds != fold {
			continue
		}
		s := &samples[i]
		d.predictedQuality[i] = make([]float64, len(d.models))
		d.predictedCost[i] = make([]float64, len(d.models))
		for head := 1; head < len(c.Heads.Heads); head++ {
			m := c.Heads.Heads[head].Model
			d.predictedQuality[i][m] = float64(c.Heads.ValueOf(head, s.rows, idf, s.style)) / predict.One
			d.predictedCost[i][m] = lines[m].base + lines[m].slope*float64(len(s.text))
		}
	}
}

// costLine returns the cost of a model by the length of the prompt: the usual response, and the
// input. It is the least squares fit.
func costLine(samples []sample, costs [][]float64, m int) line {
	var x, y []float64
	for i := range samples {
		if !math.IsNaN(costs[i][m]) {
			x, y = append(x, float64(len(samples[i].text))), append(y, costs[i][m])
		}
	}
	mx, my, sxy, sxx := mean(x), mean(y), 0.0, 0.0
	for i := range x {
		sxy, sxx = sxy+(x[i]-mx)*(y[i]-my), sxx+(x[i]-mx)*(x[i]-mx)
	}
	slope := sxy / sxx
	return line{base: my - slope*mx, slope: slope}
}

// average returns the mean quality and cost of a choice. Prompts without an outcome of the
// chosen model are left out.
func (d *dialData) average(choose func(prompt int) int) point {
	var quality, cost []float64
	for i := range d.quality {
		m := choose(i)
		if q, c := d.quality[i][m], d.cost[i][m]; !math.IsNaN(q) && !math.IsNaN(c) {
			quality, cost = append(quality, q), append(cost, c)
		}
	}
	return point{mean(quality), mean(cost)}
}

// curve returns the mean quality and cost for many factors between quality and cost. A choice
// is the model with the greatest predicted quality minus the predicted cost times the factor.
func (d *dialData) curve() (points []point) {
	for exponent := -2.0; exponent < 7; exponent += 0.05 {
		factor := math.Pow(10, exponent)
		points = append(points, d.average(func(i int) int {
			values := make([]float64, len(d.models))
			for m := range values {
				values[m] = d.predictedQuality[i][m] - factor*d.predictedCost[i][m]
			}
			return slices.Index(values, slices.Max(values))
		}))
	}
	return points
}

// cheapestNear returns the cheapest model whose predicted quality is at least a share of the
// baseline's, as a quality aim chooses it.
func (d *dialData) cheapestNear(i, baseline int, share float64) int {
	chosen := baseline
	for m, quality := range d.predictedQuality[i] {
		if quality >= share*d.predictedQuality[i][baseline] && d.predictedCost[i][m] < d.predictedCost[i][chosen] {
			chosen = m
		}
	}
	return chosen
}

// cheapestReaching returns the least cost of a choice that reaches a quality.
func cheapestReaching(choices []point, enough float64) float64 {
	cheapest := math.Inf(1)
	for _, p := range choices {
		if p.quality >= enough {
			cheapest = min(cheapest, p.cost)
		}
	}
	return cheapest
}

// cheapestMixture returns the least cost at which a fixed mixture of two choices reaches a
// quality.
func cheapestMixture(choices []point, enough float64) float64 {
	cheapest := math.Inf(1)
	for _, a := range choices {
		for _, b := range choices {
			if a.quality >= enough {
				cheapest = min(cheapest, a.cost)
			}
			if a.quality > enough && b.quality < enough {
				share := (enough - b.quality) / (a.quality - b.quality)
				cheapest = min(cheapest, share*a.cost+(1-share)*b.cost)
			}
		}
	}
	return cheapest
}
