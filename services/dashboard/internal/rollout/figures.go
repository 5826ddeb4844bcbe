// Package rollout watches the rollout of a policy version. Figures sums up the requests that
// one version served at one step. Judge compares the figures of both versions by sequential
// intervals, so that looking at them every few seconds does not raise false alarms. Decide
// says what to do, and a Controller does it: it rolls back, advances or halts the rollout
// through the router, which accepts only one of several controllers. The package does no I/O
// of its own.
package rollout

import (
	"math"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// Figures sums up the requests that one version served at one step of a rollout.
type Figures struct {
	// Requests counts the requests that were decided, and Failures those that failed or
	// that the policy rejected.
	Requests, Failures int64
	// Latency has the natural logarithm of the microseconds of each successful request, so
	// that its mean is that of the typical request. The slowest ones do not dominate it.
	Latency statistics.Sample
	// Cost has the micro-USD of each request whose price is known.
	Cost statistics.Sample
	// Responses counts the responses that were searched for signals.
	Responses int64
	// FlaggedWeight is the sum of the weights, from 0 to 1, of the strongest signal of each
	// response.
	FlaggedWeight float64
	// Rated has the mean score of each rated request, from 0 to 1.
	Rated statistics.Sample
}

// Sides are the figures of the two versions.
type Sides struct{ Stable, Candidate Figures }

// Add adds a request that a version of the rollout decided. examined means that the response
// was searched for signals.
func (f *Figures) Add(r *record.Record, examined bool) {
	f.Requests++
	switch r.Outcome {
	case record.OutcomeOK:
		f.Latency.Add(math.Log(float64(max(1, r.Latency))))
	case record.OutcomeClientClosed:
	default:
		f.Failures++
	}
	if r.Cost != nil {
		f.Cost.Add(float64(*r.Cost) / 1000)
	}
	if examined {
		f.Responses++
	}
}

// Counts reports whether a record belongs to the figures of a rollout: requests that were
// rejected before a policy decided do not.
func Counts(r *record.Record) bool { return r.Rollout != nil && r.PolicyVersion != "" }
