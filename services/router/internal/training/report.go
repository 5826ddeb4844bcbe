package training

import (
	"fmt"
	"io"
)

// Print writes the APGR of tasks with 95 % intervals.
func Print(out io.Writer, title string, tasks []Task) {
	fmt.Fprintf(out, "%s\n\n%-16s %6s %7s  %-13s %7s\n", title, "task", "n", "APGR", "95 %", "inside")
	sum, n, lowest := 0.0, 0.0, 1.0
	for i := range tasks {
		t := &tasks[i]
		if len(t.Scores) == 0 {
			fmt.Fprintf(out, "%-16s has no outcomes of both models\n", t.Pair.Task)
			continue
		}
		a := t.APGR()
		low, high := t.Interval()
		fmt.Fprintf(out, "%-16s %6d %7.3f  %.3f-%.3f %6.0f%%\n", t.Pair.Task, len(t.Scores), a, low, high, 100*float64(t.Inside)/float64(len(t.Scores)))
		sum, n, lowest = sum+a, n+1, min(lowest, a)
	}
	fmt.Fprintf(out, "%-16s %6s %7.3f\n%-16s %6s %7.3f\n\n", "mean", "", sum/n, "lowest", "", lowest)
}
