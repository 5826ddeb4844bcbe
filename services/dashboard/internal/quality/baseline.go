package quality

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

// Margin is how much lower the quality of routed responses, or of a candidate of an experiment,
// may be to count as not worse: 2 points.
const Margin = 0.02

// CompareWithBaseline compares the responses of all other models with those of the baseline
// model, by kind of task, because routing sends the hard tasks to the better models. A response
// counts 1 minus the weight of its strongest signal. Requests of the same kind can still
// differ; only comparisons of the same request exclude that.
func CompareWithBaseline(all []Sums, baseline string) statistics.Comparison {
	strata := map[string]*statistics.Stratum{}
	for _, s := range all {
		if strata[s.Task] == nil {
			strata[s.Task] = &statistics.Stratum{}
		}
		of := &strata[s.Task].Candidate
		if s.Model == baseline {
			of = &strata[s.Task].Other
		}
		of.N += s.Responses
		of.Sum += max(0, float64(s.Responses)-s.FlaggedWeight)
	}
	tasks := make([]string, 0, len(strata))
	for task := range strata {
		tasks = append(tasks, task)
	}
	slices.SortFunc(tasks, strings.Compare) // sums of floats depend on the order
	list := make([]statistics.Stratum, len(tasks))
	for i, task := range tasks {
		list[i] = *strata[task]
	}
	return statistics.CompareStrata(list, Margin, statistics.Alpha)
}

// CompareByJudges compares responses of other models with those of the baseline model to the same
// requests, as judges of experiments saw them. It needs experiments that have the baseline model
// as a candidate.
func CompareByJudges(all []Pair, baseline string) statistics.Comparison {
	var s statistics.Sample
	for i := range all {
		if p := &all[i]; p.Candidate == baseline && p.Served != baseline {
			s.N, s.Sum, s.Squares = s.N+p.Scores.N, s.Sum-p.Scores.Sum, s.Squares+p.Scores.Squares
		}
	}
	return statistics.Compare(s, Margin, statistics.Alpha)
}

// DescribeQuality says in one sentence what is known about the quality of routed responses.
// Verdicts of judges about the same requests count more than signals of different ones.
func DescribeQuality(pairs []Pair, sums []Sums, baseline string) string {
	judged := CompareByJudges(pairs, baseline)
	compared := withSeparators(judged.N) + " comparisons by a judge."
	switch judged.Verdict {
	case statistics.Better:
		return "Quality: better than the default model, " + compared
	case statistics.NotWorse:
		return fmt.Sprintf("Quality: not worse within %.0f points, %s", 100*Margin, compared)
	case statistics.Worse:
		return fmt.Sprintf("Quality: %s points lower than with the default model, %s", formatLoss(judged.Interval), compared)
	}
	return DescribeComparison(CompareWithBaseline(sums, baseline))
}

// DescribeComparison says in one sentence what a comparison with the baseline proves.
func DescribeComparison(c statistics.Comparison) string {
	points := fmt.Sprintf("%.0f points", 100*Margin)
	compared := withSeparators(c.N) + " responses compared by kind of task"
	switch c.Verdict {
	case statistics.Better:
		return "Quality: better than the default model by automatic signals, " + compared + "."
	case statistics.NotWorse:
		return "Quality: not worse within " + points + " by automatic signals, " + compared + "."
	case statistics.Worse:
		return fmt.Sprintf("Quality: %s points lower than with the default model by automatic signals, %s.", formatLoss(c.Interval), compared)
	}
	if c.N == 0 {
		return "Quality: not enough data yet: no responses of the default model to compare with."
	}
	// The page Quality says how much more it needs, in ratings and in responses.
	return "Quality: not enough data yet to compare with the default model."
}

// formatLoss returns the interval of the loss in points.
func formatLoss(i statistics.Interval) string {
	return fmt.Sprintf("%.2g to %.2g", math.Abs(100*i.High), math.Abs(100*i.Low))
}

func withSeparators(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return cmp.Or(text, "0")
}
