package scale

import (
	"fmt"
	"io"
	"math"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/scale/model"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

// The assumptions of the prediction that are not measured.
const (
	// busyMost is how busy a core should be at most, of proxies and of all other components.
	busyMost = 0.7
	// keyChanges is the created, changed and revoked keys per second.
	keyChanges = 1
)

var predictedProxies = []int{1, 2, 4, 10, 30, 100}

// printPrediction prints how busy the shared components are with many proxies.
func printPrediction(out io.Writer, all []*figures) {
	perProxy := busyMost / fitCosts(all, proxies, all[0].full).perRequest
	stations := newStations(all)
	w := newTable(out)
	fmt.Fprintf(w, "proxies\trequests/s\tcomponent\tone core, busy %%\tits wait\tcores for %.0f %%\ttheir wait\tconnections\t\n", 100*busyMost)
	for _, n := range predictedProxies {
		load := model.Traffic{Proxies: n, PerProxy: perProxy, KeyChanges: keyChanges}
		for _, s := range stations {
			needed := coresFor(s, load)
			fmt.Fprintf(w, "%d\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\t\n", n, stats.FormatThousands(load.Rate()), s.Name, 100*s.Work(load),
				formatWait(s.Wait(load, 1)), formatCores(s, needed), formatWait(s.Wait(load, needed)), formatConnections(all, s.Name, n))
		}
	}
	_ = w.Flush()
	printSaturation(out, stations, perProxy)
	fmt.Fprintf(out, assumptions, perProxy, 100*busyMost, keyChanges, batchLimit)
}

// printSaturation prints how many proxies one core of each component can serve.
func printSaturation(out io.Writer, stations []model.Station, perProxy float64) {
	load := model.Traffic{PerProxy: perProxy, KeyChanges: keyChanges}
	first := stations[0]
	fmt.Fprint(out, "\nOne core is busy all the time at:")
	for _, s := range stations {
		fmt.Fprintf(out, " %s %.1f proxies;", s.Name, s.Saturates(load))
		if s.Saturates(load) < first.Saturates(load) {
			first = s
		}
	}
	fmt.Fprintf(out, " the first is %s.\n", first.Name)
}

const assumptions = `
Assumptions: every proxy serves %.0f requests/s, %.0f %% of what one core serves at full load, and the router decides about each.
%d key per second changes. Every component is an M/M/c queue: arrivals from many independent clients, and service times that
vary less than exponential ones, so the waits are upper bounds. Instances with one core each wait longer than one instance with
all cores: a queue of one core that is busy for 70 %% has 2.3 service times. A core is like one of this machine. Costs do not
depend on the number of proxies, but for the idle cost of each connection. Ingest stores batches of %d records, one after the
other per dashboard; its wait is that of a batch and delays no request. Redis has one thread, and all records are in one
stream, so it can use only one core (*). Networks between machines are not in the figures.
`

func formatWait(seconds float64, stable bool) string {
	switch {
	case !stable:
		return "overloaded"
	case seconds >= 1e-3:
		return fmt.Sprintf("%.1f ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.0f µs", 1e6*seconds)
}

// coresFor returns how many cores a component needs, or the one that it can use.
func coresFor(s model.Station, load model.Traffic) int {
	if s.Single {
		return 1
	}
	return s.Needed(load, busyMost)
}

func formatCores(s model.Station, cores int) string {
	if s.Single {
		return fmt.Sprintf("%d*", cores)
	}
	return fmt.Sprint(cores)
}

// formatConnections extrapolates the connections that a component has accepted.
func formatConnections(all []*figures, name string, n int) string {
	var x, y []float64
	for _, f := range all {
		count, ok := f.connections[name]
		if !ok {
			return "-"
		}
		x, y = append(x, float64(f.proxies)), append(y, float64(count))
	}
	return stats.FormatThousands(math.Round(model.FitLine(x, y).At(float64(n))))
}
