package scale

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
)

func printReport(out io.Writer, all []*figures) {
	printSteady(out, all)
	printComponents(out, "at that rate", all, deployed, func(f *figures) []window { return f.steady })
	printFull(out, all)
	printComponents(out, "at full load", all, components, func(f *figures) []window { return f.full })
	printPrediction(out, all)
}

func newTable(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// printSteady prints the requests per CPU-second at the same rate for each proxy.
func printSteady(out io.Writer, all []*figures) {
	w := newTable(out)
	fmt.Fprint(w, "proxies\tresponses/s\tper CPU-second of the proxies\tlowest-highest\trelative to one\tresult\tbalancer, CPU %\t\n")
	one := 1e6 / micros(mergeWindows(all[0].steady), proxies)
	for _, f := range all {
		per, rounds := 1e6/micros(mergeWindows(f.steady), proxies), stats.NewSpread(perCPU(f))
		relative := per / one
		result := stats.FormatVerdict(new(relative >= 1-tolerance && relative <= 1+tolerance))
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t\n", f.proxies, stats.FormatThousands(stats.Median(perSecond(f.steady))), stats.FormatThousands(per),
			rounds.FormatRange(stats.FormatThousands), stats.FormatRatio(relative), result, share(f, balancer))
	}
	_ = w.Flush()
	fmt.Fprintf(out, "\nThe requests per CPU-second may differ by %.0f %% from those of one proxy. Every proxy gets the same rate through the balancer and is\n"+
		"pinned to one core; all deployments run at the same time. Sums of all rounds, with the lowest and the highest round: the kernel counts\n"+
		"CPU time in steps of 10 ms. CPU includes the work after the last response; all records are stored. CPU %% is of one core. For all deployments together, the load generator used %.0f %% and the upstream %.0f %%.\n\n",
		100*tolerance, busy(all[0].steady, generator), busy(all[0].steady, upstream))
}

func perCPU(f *figures) (values []float64) {
	for _, w := range f.steady {
		values = append(values, float64(w.requests)/w.cpu[proxies])
	}
	return values
}

func perSecond(windows []window) (values []float64) {
	for _, w := range windows {
		values = append(values, w.perSecond)
	}
	return values
}

// busy returns how busy a component kept a core in some rounds, in percent.
func busy(rounds []window, name string) float64 {
	sum := mergeWindows(rounds)
	return 100 * sum.cpu[name] / sum.seconds
}

// share returns how busy a component kept a core while there were requests, in percent.
func share(f *figures, name string) float64 {
	w := mergeWindows(f.steady)
	return 100 * w.cpu[name] / float64(w.requests) * stats.Median(perSecond(f.steady))
}

// printComponents compares what each component used under a load with what one proxy predicts.
func printComponents(out io.Writer, load string, all []*figures, names []string, rounds func(*figures) []window) {
	w := newTable(out)
	fmt.Fprintf(w, "CPU µs per request %s\t1 proxy\t", load)
	for _, f := range all[1:] {
		fmt.Fprintf(w, "%d proxies\tpredicted\tratio\t", f.proxies)
	}
	fmt.Fprint(w, "\n")
	for _, name := range names {
		c := fitCosts(all, name, rounds(all[0]))
		fmt.Fprintf(w, "%s\t%.1f\t", name, micros(mergeWindows(rounds(all[0])), name))
		for _, f := range all[1:] {
			sum := mergeWindows(rounds(f))
			measured, predicted := micros(sum, name), 1e6*c.predictCPU(f.proxies, sum)/float64(sum.requests)
			fmt.Fprintf(w, "%.1f\t%.1f\t%s\t", measured, predicted, stats.FormatRatio(measured/predicted))
		}
		fmt.Fprint(w, "\n")
	}
	_ = w.Flush()
	fmt.Fprint(out, "\nPredicted: the cost per request of one proxy, and the idle cost of this deployment.\n\n")
}

func micros(w window, name string) float64 { return 1e6 * w.cpu[name] / float64(w.requests) }

// printFull compares the throughput at full load with the prediction.
func printFull(out io.Writer, all []*figures) {
	w := newTable(out)
	fmt.Fprint(w, "full load, proxies\tresponses/s\tpredicted\trecords stored/s\trecords per batch\t\n")
	for _, f := range all {
		measured, predicted, sum := stats.Median(perSecond(f.full)), predictThroughput(all, f.proxies), mergeWindows(f.full)
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%.0f\t\n", f.proxies, stats.FormatThousands(measured), stats.FormatThousands(predicted),
			stats.FormatThousands(float64(sum.requests)/sum.seconds), float64(sum.requests)/sum.batches)
	}
	_ = w.Flush()
	fmt.Fprintf(out, "\n%d clients send a request after each response, and the router decides about each. Predicted is what the cores of this machine\n"+
		"can serve and store for long: generator, upstream and all components share them. A part of the records is stored after the\n"+
		"last response, so the responses are above it. The records stored until then, with %s of waiting, are below it.\n\n", clientCount, settleTime)
}
