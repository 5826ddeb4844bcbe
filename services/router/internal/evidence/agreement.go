package evidence

import "math"

// agreement compares which outcomes an account reports as good with the order that the shipped
// weights predict. All sums are weighted; probabilities are from 0 to 1.
type agreement struct {
	Weight    float64 `json:"w"`
	Predicted float64 `json:"p"`
	Observed  float64 `json:"o"`
	Products  float64 `json:"po"`
	Squares   float64 `json:"pp"`
	Goods     float64 `json:"oo"`
}

func (g *agreement) add(o *Outcome) {
	w, p, seen := float64(o.Weight)/1000, float64(o.Predicted)/1000, float64(o.Observed)/1000
	g.Weight += w
	g.Predicted += w * p
	g.Observed += w * seen
	g.Products += w * p * seen
	g.Squares += w * p * p
	g.Goods += w * seen * seen
}

func (g *agreement) forget(factor float64) {
	for _, sum := range []*float64{&g.Weight, &g.Predicted, &g.Observed, &g.Products, &g.Squares, &g.Goods} {
		*sum *= factor
	}
}

// contradictionErrors is how many standard errors a correlation must be below zero before an
// account contradicts the shipped weights. By chance, one account in 700 does.
const contradictionErrors = 3.0

// minSpread is the product of variances below which outcomes say nothing about an order.
const minSpread = 1e-6

// contradicts reports whether the account finds the responses bad that should be good, and the
// other way round.
func (g *agreement) contradicts() bool {
	if g.Weight < minScored {
		return false
	}
	p, seen := g.Predicted/g.Weight, g.Observed/g.Weight
	covariance := g.Products/g.Weight - p*seen
	spread := (g.Squares/g.Weight - p*p) * (g.Goods/g.Weight - seen*seen)
	return spread > minSpread && covariance < -contradictionErrors*math.Sqrt(spread/g.Weight)
}

// voters returns the accounts that have a vote on shared corrections: those that do not
// contradict the shipped weights. If most accounts contradict them, the weights are wrong and
// all accounts vote.
func voters(all map[string]*account) map[string]*account {
	trusted := make(map[string]*account, len(all))
	for id, a := range all {
		if !a.Agreement.contradicts() {
			trusted[id] = a
		}
	}
	if 2*len(trusted) < len(all) {
		return all
	}
	return trusted
}
