package dispatch

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/saturate"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// hasMaxCost reports whether the client limits the cost of the request.
func (j *Job) hasMaxCost() bool { return j.Question != nil && j.Question.MaxCost.Known }

// fitsCost reports whether a call to the candidate stays within the maximum cost of the request,
// whatever the length of its response. What earlier attempts have cost counts. The decision
// checks the first call too, unless an older router made it.
func (pk *picker) fitsCost(t decide.Candidate) bool {
	if !pk.job.hasMaxCost() {
		return true
	}
	highest := decide.OptionalInt{}
	if m, ok := pk.job.Policy.Model(t.Model); ok {
		if e, ok := m.EndpointAt(t.Provider); ok {
			highest = decide.HighestCost(m, e, pk.job.Question)
		}
	}
	fits := highest.Known && saturate.Add(pk.spent, highest.Value) <= pk.job.Question.MaxCost.Value
	pk.costReached = pk.costReached || !fits
	return fits
}

// addSpent adds what an attempt is known to have cost.
func (pk *picker) addSpent(a *ledger.Attempt) {
	if !pk.job.hasMaxCost() || a.Usage == nil {
		return
	}
	if m, ok := pk.job.Policy.Model(a.Candidate.Model); ok {
		if price, ok := m.PriceAt(a.Candidate.Provider, pk.job.StartedAt); ok {
			pk.spent = saturate.Add(pk.spent, catalog.Cost(price, *a.Usage))
		}
	}
}

// maxCostError is the error if every candidate of the plan can cost too much.
func (pk *picker) maxCostError() error {
	return decide.NewMaxCostError(pk.job.Request.Model, pk.job.Question.MaxCost.Value)
}
