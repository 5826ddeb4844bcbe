package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// modeScale measures whether more proxies serve more requests for the same CPU time each.
const modeScale = "scale"

const (
	// scaleClients is the number of clients of all proxies together.
	scaleClients = 32
	// scaleTolerance is how far the requests per CPU-second may differ from those of one proxy.
	scaleTolerance = 0.1
)

// scaleRun measures deployments with different numbers of proxies.
type scaleRun struct {
	out        io.Writer
	bin, split string
	rounds     int
	each       time.Duration
	upstream   *child
}

// scaleFigures are the results of one number of proxies, by round.
type scaleFigures struct {
	proxies int
	// perSecond and perCPU are the responses per second and per second of the proxies' CPU time.
	// generator is the CPU time of the load generator and the upstream, in percent of the machine.
	perSecond, perCPU, generator []float64
}

func measureScale(ctx context.Context, out io.Writer, args []string) (err error) {
	r := scaleRun{out: out}
	flags := flag.NewFlagSet(modeScale, flag.ContinueOnError)
	flags.StringVar(&r.bin, "bin", "bin", "directory of the binaries to measure")
	flags.StringVar(&r.split, "split", "bin/split", "program that starts the split deployment")
	flags.IntVar(&r.rounds, "rounds", 5, "number of rounds; the table shows the medians")
	flags.DurationVar(&r.each, "each", 2*time.Second, "duration of a round")
	proxies := flags.String("proxies", "1,2,4", "comma-separated numbers of proxies")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.upstream, err = startSelf(ctx, nil, roleUpstream); err != nil {
		return err
	}
	defer r.upstream.stop()
	var all []scaleFigures
	for text := range strings.SplitSeq(*proxies, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return errors.New("-proxies must be a list of positive numbers")
		}
		f, err := r.measureProxies(ctx, n)
		if err != nil {
			return fmt.Errorf("%d proxies: %w", n, err)
		}
		all = append(all, f)
	}
	printScale(out, all)
	return nil
}

// measureProxies starts a deployment, pins its proxies to cores in turn, and measures it.
func (r *scaleRun) measureProxies(ctx context.Context, n int) (f scaleFigures, err error) {
	box, err := startSplit(ctx, r.split, r.bin, r.upstream.address, n)
	if err != nil {
		return f, err
	}
	defer box.stop()
	pids := box.proxyPIDs()
	for i, pid := range pids {
		if err := pinToCore(ctx, pid, i%runtime.NumCPU()); err != nil {
			return f, err
		}
	}
	generators := make([]*generator, len(box.edges))
	for i, edge := range box.edges {
		generators[i] = &generator{address: edge, path: "/proxy/v1", key: box.key, chat: modelChat, embed: modelEmbed}
		defer generators[i].close()
	}
	f.proxies = n
	for round := range r.rounds + 1 {
		if err := r.measureRound(ctx, box, pids, generators, round > 0, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// measureRound puts the load on all proxies at the same time, each with its share of the clients.
// The first round only warms up.
func (r *scaleRun) measureRound(ctx context.Context, box *signalbox, pids []int, generators []*generator, counts bool, f *scaleFigures) error {
	before, err := sampleScale(pids, r.upstream.pid())
	if err != nil {
		return err
	}
	l := load{name: loadChat, clients: max(1, scaleClients/len(generators)), bytes: chatBytes}
	outcomes := make([]outcome, len(generators))
	var wg sync.WaitGroup
	for i, g := range generators {
		wg.Go(func() { outcomes[i] = g.run(ctx, l, r.each) })
	}
	wg.Wait()
	var all outcome
	for _, o := range outcomes {
		all.merge(o)
	}
	if all.failed > 0 {
		return fmt.Errorf("%d requests failed, first: %w", all.failed, all.firstErr)
	}
	box.answered += len(all.took)
	// Work that the proxies do later belongs to the requests too.
	if _, err := box.awaitRecords(ctx, box.answered); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	after, err := sampleScale(pids, r.upstream.pid())
	if err != nil || !counts {
		return err
	}
	f.perSecond = append(f.perSecond, float64(len(all.took))/r.each.Seconds())
	f.perCPU = append(f.perCPU, float64(len(all.took))/(after.proxies-before.proxies).Seconds())
	f.generator = append(f.generator, 100*(after.generator-before.generator).Seconds()/(after.whole-before.whole).Seconds())
	return nil
}

// scaleSample is the CPU time of the proxies together, of the load generator with the upstream,
// and of the machine.
type scaleSample struct{ proxies, generator, whole time.Duration }

func sampleScale(pids []int, upstream int) (s scaleSample, err error) {
	all, err := listProcesses()
	if err != nil {
		return s, err
	}
	for _, pid := range pids {
		s.proxies += all.cpuTime(pid)
	}
	s.generator = all[os.Getpid()].used + all.cpuTime(upstream)
	_, s.whole, err = machineTime()
	return s, err
}

// proxyPIDs returns the processes of the proxies.
func (s *signalbox) proxyPIDs() []int {
	pids := []int{s.proxy}
	for i := 2; i <= len(s.edges); i++ {
		pids = append(pids, s.others[fmt.Sprintf("proxy-%d", i)])
	}
	return pids
}

// pinToCore lets a process run on one core only, so that proxies do not share caches by chance.
func pinToCore(ctx context.Context, pid, core int) error {
	out, err := exec.CommandContext(ctx, "taskset", "--all-tasks", "--cpu-list", "--pid", strconv.Itoa(core), strconv.Itoa(pid)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

func printScale(out io.Writer, all []scaleFigures) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "proxies\tresponses/s\tresponses per CPU-second\tlowest-highest\trelative to the first\tresult\tgenerator and upstream, CPU %\t\n")
	for _, f := range all {
		per := newSpread(f.perCPU)
		relative := per.Median / median(all[0].perCPU)
		result := formatVerdict(new(relative >= 1-scaleTolerance && relative <= 1+scaleTolerance))
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t\n", f.proxies, formatThousands(median(f.perSecond)), formatThousands(per.Median),
			per.formatRange(formatThousands), formatRatio(relative), result, median(f.generator))
	}
	_ = w.Flush()
	fmt.Fprintf(out, "\nThe target is %.0f %% of the requests per CPU-second of the first row. %d clients in total, medians. Each proxy runs on one core.\n"+
		"CPU is that of all proxies, with the work after the last response. Records of all requests are stored.\n", 100*scaleTolerance, scaleClients)
}
