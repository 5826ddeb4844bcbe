package training

import (
	"maps"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// anchors returns the abilities of well-known models, as the catalog rates them or would. The
// abilities of the other models follow from the outcomes.
func anchors() map[string]float64 {
	known := map[string]float64{
		"gpt-4o-2024-08-06": 430, "gpt-4o-2024-05-13": 430, "gpt-4o-mini-2024-07-18": 370, "gpt-3.5-turbo-0125": 250,
		"gpt-4-1106-preview": 400, "Mixtral-8x7B-Instruct-v0.1": 230, "Mistral-Nemo-Instruct-2407": 250,
		"Llama-3.1-8B-Instruct": 250, "Llama-3.1-70B-Instruct": 370, "gemini-1.5-pro-002": 430, "gemini-1.5-flash-002": 380,
		"claude-3-5-sonnet-20241022": 460, "o1-mini-2024-09-12": 500, "Mistral-7B-Instruct-v0.3": 180, "llama-3.1-nemotron-51b-instruct": 350,
	}
	normal := map[string]float64{}
	for name, ability := range known {
		normal[predict.Normalise(name)] = ability
	}
	return normal
}

// line is the relation of ability and success in a collection: logit = base + slope*ability.
type line struct{ base, slope float64 }

// rateModels estimates the ability of every model and the line of every panel. successes
// holds the share of good outcomes by panel and model.
func rateModels(successes []map[string]float64) (map[string]float64, []line) {
	abilities, lines := anchors(), make([]line, len(successes))
	for range ratingRounds {
		for c, rates := range successes {
			lines[c] = fitLine(rates, abilities)
		}
		sums, counts := map[string]float64{}, map[string]float64{}
		for c, rates := range successes {
			for _, model := range slices.Sorted(maps.Keys(rates)) {
				estimate := (logit(clipRate(rates[model])) - lines[c].base) / lines[c].slope
				sums[model] += min(max(estimate, 20), 700)
				counts[model]++
			}
		}
		fixed := anchors()
		for model, sum := range sums {
			if _, ok := fixed[model]; !ok {
				abilities[model] = sum / counts[model]
			}
		}
	}
	return abilities, lines
}

const ratingRounds = 10

// usualSlope is the slope of a typical benchmark, in logits per point of ability. It counts
// like slopeWeight models, because few models make a slope unreliable.
const (
	usualSlope  = 0.008
	slopeWeight = 3
)

// fitLine fits a line to the models whose ability is known.
func fitLine(rates, abilities map[string]float64) line {
	var x, y []float64
	for _, model := range slices.Sorted(maps.Keys(rates)) {
		if a, ok := abilities[model]; ok {
			x, y = append(x, a), append(y, logit(clipRate(rates[model])))
		}
	}
	if len(x) == 0 {
		return line{base: logit(clipRate(mean(slices.Sorted(maps.Values(rates))))) - usualSlope*300, slope: usualSlope}
	}
	mx, my := mean(x), mean(y)
	const spread = 100 * 100 // the usual variance of abilities
	sxy, sxx := usualSlope*slopeWeight*spread, float64(slopeWeight*spread)
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
		sxx += (x[i] - mx) * (x[i] - mx)
	}
	slope := max(sxy/sxx, usualSlope/4)
	return line{base: my - slope*mx, slope: slope}
}

func clipRate(p float64) float64 { return min(max(p, 0.02), 0.98) }
