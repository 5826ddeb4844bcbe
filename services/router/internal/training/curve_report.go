package training

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// PrintCurves writes the APGR of each step with the 95 % interval of its change.
func PrintCurves(out io.Writer, curves []Curve) {
	fmt.Fprintf(out, "%-16s %9s %7s %8s  %s\n", "task", "outcomes", "APGR", "change", "95 % of the change")
	for i := range curves {
		c := &curves[i]
		all := make([]int, len(c.Rounds[0][0].Scores))
		for k := range all {
			all[k] = k
		}
		for step, outcomes := range c.Steps {
			a := c.apgr(step, all)
			low, high := c.changeInterval(step)
			fmt.Fprintf(out, "%-16s %9d %7.3f %+8.3f  %+.3f to %+.3f  %s\n", c.Pair.Task, outcomes, a, a-c.apgr(0, all), low, high, judge(low, high))
		}
	}
}

// judge says in words what the interval of a change shows.
func judge(low, high float64) string {
	switch {
	case low > 0:
		return "better"
	case high < 0:
		return "worse"
	case low == 0 && high == 0:
		return "unchanged"
	}
	return "within noise"
}

// apgr returns the APGR of some prompts after a step, averaged over the rounds.
func (c *Curve) apgr(step int, prompts []int) float64 {
	n, sum := len(prompts), 0.0
	scores, strong, weak := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, tasks := range c.Rounds {
		t := &tasks[step]
		for i, k := range prompts {
			scores[i], strong[i], weak[i] = t.Scores[k], t.Strong[k], t.Weak[k]
		}
		sum += apgr(scores, strong, weak)
	}
	return sum / float64(len(c.Rounds))
}

// changeInterval returns the 95 % bootstrap interval of the change since the first step.
func (c *Curve) changeInterval(step int) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not for secrets
	prompts := make([]int, len(c.Rounds[0][0].Scores))
	var changes []float64
	for range bootstrapRuns {
		for i := range prompts {
			prompts[i] = random.IntN(len(prompts))
		}
		changes = append(changes, c.apgr(step, prompts)-c.apgr(0, prompts))
	}
	slices.Sort(changes)
	return changes[len(changes)/40], changes[len(changes)*39/40]
}
