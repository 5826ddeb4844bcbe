package evidence

// sums holds the outcomes of a cell.
type sums struct {
	// Residual is the weighted sum of observed minus predicted, and Weight the sum of the
	// weights. A certain outcome weighs 1.
	Residual float64 `json:"r"`
	Weight   float64 `json:"w"`
}

// account holds the outcomes of one account, or of a group of accounts.
type account struct {
	Cells map[Cell]sums `json:"cells"`
	// Own and Shared are the shadow scores of the account's own corrections and of the
	// shared ones.
	Own    scores `json:"own"`
	Shared scores `json:"shared"`
	// Agreement decides whether the account has a vote on shared corrections.
	Agreement agreement `json:"agreement"`
	// Level is how fine the account's own corrections are; 0 means that none applies.
	Level int `json:"level"`
}

func newAccount() *account { return &account{Cells: map[Cell]sums{}} }

// add adds an outcome to its cells.
func (a *account) add(o *Outcome) {
	weight := float64(o.Weight) / 1000
	residual := float64(o.Observed-o.Predicted) / 1000
	a.Agreement.add(o)
	for _, c := range cells(o.Model, o.Topic) {
		s := a.Cells[c]
		a.Cells[c] = sums{Residual: s.Residual + weight*residual, Weight: s.Weight + weight}
	}
}

// forget multiplies all sums by a factor, and drops those that hardly count any more.
func (a *account) forget(factor float64) {
	for c, s := range a.Cells {
		s = sums{Residual: s.Residual * factor, Weight: s.Weight * factor}
		if a.Cells[c] = s; s.Weight < minWeight {
			delete(a.Cells, c)
		}
	}
	a.Own.forget(factor)
	a.Shared.forget(factor)
	a.Agreement.forget(factor)
}

// minWeight is the least weight of a cell that is kept.
const minWeight = 0.2

// weight returns the weight of all outcomes.
func (a *account) weight() (sum float64) {
	for c, s := range a.Cells {
		if c.level() == 0 {
			sum += s.Weight
		}
	}
	return sum
}

// strictness returns how much better than predicted the account finds its models on
// average; it is negative for a strict account. Each model counts alike from
// strictWeight outcomes on.
func (a *account) strictness() float64 {
	sum, total := 0.0, strictPrior
	for c, s := range a.Cells {
		if c.level() == 0 && s.Weight > 0 {
			counted := min(s.Weight, strictWeight)
			sum += counted * s.Residual / s.Weight
			total += counted
		}
	}
	return sum / total
}

const (
	strictWeight = 50.0
	strictPrior  = 20.0
)

// shrinkage is the weight of the outcomes that move a correction halfway to what they say,
// by level.
var shrinkage = [levels]float64{30, 120}

// correction returns the correction of a cell, as a change of probability, from the
// account's outcomes up to a level. prior holds the corrections that apply without them; it
// may be nil.
func (a *account) correction(c Cell, level int, strictness float64, prior corrections) float64 {
	total, before := 0.0, 0.0
	all := cells(c.Model, c.Topic)
	for i, cell := range all[:c.level()+1] {
		expected, k := prior.of(cell), shrinkage[i]
		s := sums{}
		if i < level {
			s = a.Cells[cell]
		}
		total += (s.Residual - s.Weight*(strictness+total) + k*(expected-before)) / (s.Weight + k)
		before = expected
	}
	return total
}

// corrections holds changes of probability. A cell that is missing has the correction of
// its model.
type corrections map[Cell]float64

func (all corrections) of(c Cell) float64 {
	if v, ok := all[c]; ok {
		return v
	}
	return all[Cell{Model: c.Model}]
}

// corrections returns the corrections of the account's cells up to a level and of the cells
// of prior.
func (a *account) corrections(level int, prior corrections) corrections {
	strictness, out := a.strictness(), corrections{}
	for c := range a.Cells {
		if c.level() < level {
			out[c] = a.correction(c, level, strictness, prior)
		}
	}
	for c := range prior {
		out[c] = a.correction(c, level, strictness, prior)
	}
	return out
}
