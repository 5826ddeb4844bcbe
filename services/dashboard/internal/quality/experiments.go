package quality

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// PairKey identifies comparisons of the same two models by the same judge, for one kind of
// task. Task is empty for all kinds together.
type PairKey struct {
	Experiment, Served, Candidate, Effort, Judge, Task string
}

// Pair sums up comparisons.
type Pair struct {
	PairKey
	// Compared is the number of comparisons, also of those without a verdict.
	Compared int64
	// Stopped is the number of comparisons that ended early, because the policy, a drain or the
	// account no longer allowed them, or because the proxy stopped or was busy.
	Stopped int64
	// Scores are the verdicts, from -1 (the served response is better) to 1 (the candidate is
	// better).
	Scores                    statistics.Sample
	CandidateWins, ServedWins int64
	// Consistent is the number of verdicts that did not change when the responses were swapped.
	Consistent int64
	// Rated is the number of verdicts on responses that people have rated. The judge agreed
	// with Agreed of them.
	Rated, Agreed                  int64
	CandidateNanoUSD, JudgeNanoUSD int64
}

// ComparedPair is one line of the report about experiments.
type ComparedPair struct {
	Pair
	statistics.Comparison
	// Agreement is the share of human ratings with which the judge agrees.
	Agreement Estimate
}

// ReportExperiments returns a row for each pair and kind of task, and before them a row for
// each pair over all kinds. The intervals of all rows contain their true values together
// with probability 1 - alpha, whenever they are looked at.
func ReportExperiments(all []Pair, alpha float64) []ComparedPair {
	pairs := slices.Concat(sumOverTasks(all), all)
	each := statistics.WidestAlpha(alpha, len(pairs))
	rows := make([]ComparedPair, len(pairs))
	for i, p := range pairs {
		rows[i] = ComparedPair{
			Pair: p, Comparison: statistics.Compare(p.Scores, Margin, each),
			Agreement: estimate(statistics.Sample{N: p.Rated, Sum: float64(p.Agreed)}, each),
		}
	}
	slices.SortStableFunc(rows, func(a, b ComparedPair) int {
		return cmp.Or(cmp.Compare(a.Experiment, b.Experiment), cmp.Compare(a.Served, b.Served), cmp.Compare(a.Candidate, b.Candidate),
			cmp.Compare(a.Effort, b.Effort), cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Task, b.Task))
	})
	return rows
}

func sumOverTasks(all []Pair) []Pair {
	index := map[PairKey]int{}
	var sums []Pair
	for _, p := range all {
		k := p.PairKey
		k.Task = ""
		i, ok := index[k]
		if !ok {
			i = len(sums)
			index[k], sums = i, append(sums, Pair{PairKey: k})
		}
		sums[i].add(&p)
	}
	return sums
}

func (p *Pair) add(o *Pair) {
	p.Compared, p.Stopped = p.Compared+o.Compared, p.Stopped+o.Stopped
	p.Scores.N, p.Scores.Sum, p.Scores.Squares = p.Scores.N+o.Scores.N, p.Scores.Sum+o.Scores.Sum, p.Scores.Squares+o.Scores.Squares
	p.CandidateWins, p.ServedWins, p.Consistent = p.CandidateWins+o.CandidateWins, p.ServedWins+o.ServedWins, p.Consistent+o.Consistent
	p.Rated, p.Agreed = p.Rated+o.Rated, p.Agreed+o.Agreed
	p.CandidateNanoUSD, p.JudgeNanoUSD = p.CandidateNanoUSD+o.CandidateNanoUSD, p.JudgeNanoUSD+o.JudgeNanoUSD
}
