package compare

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// tailBounds are the upper bounds of the histogram's columns.
var tailBounds = []time.Duration{
	250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
}

// printTail prints how the latencies at a fixed rate are distributed, for the responses of all
// rounds together. The rare slow ones do not show in the median of a percentile.
func (b *bench) printTail() {
	if !slices.ContainsFunc(b.loads, func(l traffic.Load) bool { return l.Name == traffic.LoadSteady }) {
		return
	}
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	b.printf("\n")
	fmt.Fprintf(w, "%-16s\tresponses\tp50 us\tp90\tp99\tp99.9\tslowest\t%s\t\n", "all rounds, 200/s", strings.Join(formatTailBounds(), "\t"))
	for _, p := range b.peers {
		var all []time.Duration
		for _, f := range b.results[p.name][traffic.LoadSteady] {
			for _, t := range f.outcome.Took {
				all = append(all, t.Whole)
			}
		}
		if slices.Sort(all); len(all) > 0 {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t\n", p.name, len(all), strings.Join(formatQuantiles(all, 0.5, 0.9, 0.99, 0.999, 1), "\t"), strings.Join(formatHistogram(all), "\t"))
		}
	}
	_ = w.Flush()
}

func formatTailBounds() (titles []string) {
	for _, bound := range tailBounds {
		titles = append(titles, "<= "+bound.String())
	}
	return append(titles, "more")
}

// formatQuantiles returns the times that the given shares of the sorted times do not exceed.
func formatQuantiles(sorted []time.Duration, shares ...float64) (cells []string) {
	for _, share := range shares {
		at := max(0, int(float64(len(sorted))*share+0.999999)-1)
		cells = append(cells, stats.FormatThousands(stats.Micros(sorted[at])))
	}
	return cells
}

// formatHistogram returns how many of the sorted times are within each bound, and how many are not.
func formatHistogram(sorted []time.Duration) (cells []string) {
	for _, bound := range tailBounds {
		n, _ := slices.BinarySearch(sorted, bound+1)
		cells, sorted = append(cells, fmt.Sprint(n)), sorted[n:]
	}
	return append(cells, fmt.Sprint(len(sorted)))
}
