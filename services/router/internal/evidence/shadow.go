package evidence

import "math"

// scores compares predictions with the outcomes that came after them. Index 0 is the
// corrections of models, index 1 adds topics.
type scores struct {
	// Gain is the sum of how much less the corrected predictions lost than the shipped
	// ones, in logarithmic loss. Squares is the sum of the squares of its terms.
	Gain    [levels]float64 `json:"gain"`
	Squares [levels]float64 `json:"squares"`
	// Step and StepSquares are the same for the comparison with the next coarser
	// corrections instead of the shipped predictions.
	Step        [levels]float64 `json:"step"`
	StepSquares [levels]float64 `json:"step_squares"`
	// Weight is the weight of the outcomes that were compared.
	Weight float64 `json:"weight"`
}

// add compares predictions for an outcome. shipped and corrected are probabilities.
func (s *scores) add(o *Outcome, shipped float64, corrected [levels]float64) {
	weight, observed := float64(o.Weight)/1000, float64(o.Observed)/1000
	coarser := 0.0
	for i, p := range corrected {
		gain := weight * (logLoss(shipped, observed) - logLoss(p, observed))
		step := gain - coarser
		s.Gain[i], s.Squares[i] = s.Gain[i]+gain, s.Squares[i]+gain*gain
		s.Step[i], s.StepSquares[i] = s.Step[i]+step, s.StepSquares[i]+step*step
		coarser = gain
	}
	s.Weight += weight
}

func (s *scores) forget(factor float64) {
	for i := range s.Gain {
		s.Gain[i] *= factor
		s.Squares[i] *= factor
		s.Step[i] *= factor
		s.StepSquares[i] *= factor
	}
	s.Weight *= factor
}

// minScored is the weight of later outcomes without which no correction applies.
const minScored = 30

// requiredErrors is how many standard errors a gain must be above zero before corrections
// apply.
const requiredErrors = 2.0

// level returns how fine the corrections are that predict best: 0 for none, up to levels.
// Corrections that already apply stay while they gain anything. current is the level that
// applied before.
func (s *scores) level(current int) int {
	if current > 0 && s.Gain[current-1] <= 0 {
		current = 0
	}
	if s.Weight < minScored {
		return current
	}
	best, gain := current, 0.0
	if current > 0 {
		gain = s.Gain[current-1]
	}
	for i := range s.Gain {
		if s.significant(i) && s.Gain[i] > gain {
			best, gain = i+1, s.Gain[i]
		}
	}
	return best
}

// significant reports whether corrections are clearly better than the shipped predictions and
// than the next coarser corrections. Without the second condition, topics that only add noise
// would apply because the corrections of models below them are good.
func (s *scores) significant(i int) bool {
	return aboveNoise(s.Gain[i], s.Squares[i]) && aboveNoise(s.Step[i], s.StepSquares[i])
}

// aboveNoise reports whether a sum is clearly above zero. squares is the sum of the squares of
// its terms.
func aboveNoise(sum, squares float64) bool {
	return sum > 0 && sum > requiredErrors*math.Sqrt(squares)
}

// logLoss returns the cross entropy of a prediction and an outcome, both from 0 to 1.
func logLoss(predicted, observed float64) float64 {
	predicted = min(max(predicted, 0.02), 0.98)
	return -observed*math.Log(predicted) - (1-observed)*math.Log(1-predicted)
}
