// Package quality sums up evidence by model and kind of task. Feedback and signals are
// reported apart, because they measure different things: people rate few responses and
// mostly very good or very bad ones, while signals cover every response but see only obvious
// faults. The intervals are always valid and corrected for the number of segments; package
// statistics computes them. The package does no I/O: package store reads the sums, and
// package api/quality serves the report.
package quality

import (
	"cmp"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// Segment identifies a group of responses.
type Segment struct{ Model, Task string }

// Sums is the evidence about the responses of one segment.
type Sums struct {
	Segment
	// Responses is the number of responses that were searched for signals.
	Responses int64
	// Rated has one observation per rated request: the mean score of its sources, from 0
	// to 1.
	Rated statistics.Sample
	// Flagged is the number of responses with a signal. FlaggedWeight is the sum of the
	// weights of the strongest signal of each, from 0 to 1.
	Flagged       int64
	FlaggedWeight float64
	// Signals counts the responses by kind of signal.
	Signals map[evidence.Kind]int64
}

// TargetWidth is the width of an interval that is narrow enough to act on: 10 points.
const TargetWidth = 0.1

// Estimate is a mean with its interval.
type Estimate struct {
	Count int64
	// Mean is from 0 (bad) to 1 (good).
	Mean     float64
	Interval statistics.Interval
	// More is about how many further observations make the interval as narrow as
	// TargetWidth. It is 0 if there are enough.
	More int64
}

// Row is one line of the report.
type Row struct {
	Sums
	Feedback Estimate
	// Signal is the estimate over all responses, where a response counts 1 minus the weight
	// of its strongest signal.
	Signal Estimate
}

// Report returns a row for each segment, and before them a row for each model over all
// tasks, whose task is empty. Models with the most responses come first. The intervals of
// all rows contain their true values together with probability 1 - alpha.
func Report(all []Sums, alpha float64) []Row {
	sums := slices.Concat(sumByModel(all), all)
	each := statistics.WidestAlpha(alpha, len(sums))
	rows := make([]Row, len(sums))
	for i, s := range sums {
		clean := float64(s.Responses) - s.FlaggedWeight
		rows[i] = Row{
			Sums: s, Feedback: estimate(s.Rated, each),
			Signal: estimate(statistics.Sample{N: s.Responses, Sum: min(max(clean, 0), float64(s.Responses))}, each),
		}
	}
	total := map[string]int64{}
	for _, s := range all {
		total[s.Model] += s.Responses + s.Rated.N
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(total[b.Model], total[a.Model]), strings.Compare(a.Model, b.Model), strings.Compare(a.Task, b.Task))
	})
	return rows
}

func sumByModel(all []Sums) []Sums {
	index := map[string]int{}
	var models []Sums
	for _, s := range all {
		i, ok := index[s.Model]
		if !ok {
			i = len(models)
			index[s.Model], models = i, append(models, Sums{Segment: Segment{Model: s.Model}, Signals: map[evidence.Kind]int64{}})
		}
		models[i].add(s)
	}
	return models
}

func (s *Sums) add(o Sums) {
	s.Responses += o.Responses
	s.Rated.N, s.Rated.Sum, s.Rated.Squares = s.Rated.N+o.Rated.N, s.Rated.Sum+o.Rated.Sum, s.Rated.Squares+o.Rated.Squares
	s.Flagged += o.Flagged
	s.FlaggedWeight += o.FlaggedWeight
	for k, n := range o.Signals {
		s.Signals[k] += n
	}
}

func estimate(s statistics.Sample, alpha float64) Estimate {
	return Estimate{
		Count: s.N, Mean: s.Mean(), Interval: statistics.MeanInterval(s, alpha),
		More: statistics.SamplesToWidth(s, TargetWidth, alpha),
	}
}
