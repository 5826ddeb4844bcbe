// Package scale measures whether more proxies serve more requests for the same CPU time each.
package scale

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

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/procfs"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/stats"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// Mode is the argument that selects this mode.
const Mode = "scale"

const (
	// clientCount is the number of clients of all proxies together.
	clientCount = 32
	// tolerance is how far the requests per CPU-second may differ from those of one proxy.
	tolerance = 0.1
)

// run measures deployments with different numbers of proxies.
type run struct {
	out        io.Writer
	bin, split string
	rounds     int
	each       time.Duration
	upstream   *rig.Child
}

// figures are the results of one number of proxies, by round.
type figures struct {
	proxies int
	// perSecond and perCPU are the responses per second and per second of the proxies' CPU time.
	// generator is the CPU time of the load generator and the upstream, in percent of the machine.
	perSecond, perCPU, generator []float64
}

// Run runs the mode. It prints a row for each number of proxies.
func Run(ctx context.Context, out io.Writer, args []string) (err error) {
	r := run{out: out}
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	flags.StringVar(&r.bin, "bin", "bin", "directory of the binaries to measure")
	flags.StringVar(&r.split, "split", "bin/split", "program that starts the split deployment")
	flags.IntVar(&r.rounds, "rounds", 5, "number of rounds; the table shows the medians")
	flags.DurationVar(&r.each, "each", 2*time.Second, "duration of a round")
	proxies := flags.String("proxies", "1,2,4", "comma-separated numbers of proxies")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.upstream, err = rig.StartSelf(ctx, nil, rig.RoleUpstream); err != nil {
		return err
	}
	defer r.upstream.Stop()
	var all []figures
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
	printTable(out, all)
	return nil
}

// measureProxies starts a deployment, pins its proxies to cores in turn, and measures it.
func (r *run) measureProxies(ctx context.Context, n int) (f figures, err error) {
	box, err := rig.StartSplit(ctx, r.split, r.bin, r.upstream.Address, n)
	if err != nil {
		return f, err
	}
	defer box.Stop()
	pids := box.ProxyPIDs()
	for i, pid := range pids {
		if err := pinToCore(ctx, pid, i%runtime.NumCPU()); err != nil {
			return f, err
		}
	}
	generators := make([]*traffic.Generator, len(box.Edges))
	for i, edge := range box.Edges {
		generators[i] = &traffic.Generator{Address: edge, Path: "/proxy/v1", Key: box.Key, Chat: rig.ModelChat, Embed: rig.ModelEmbed}
		defer generators[i].Close()
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
func (r *run) measureRound(ctx context.Context, box *rig.Box, pids []int, generators []*traffic.Generator, counts bool, f *figures) error {
	before, err := sampleCPU(pids, r.upstream.PID())
	if err != nil {
		return err
	}
	l := traffic.Load{Name: traffic.LoadChat, Clients: max(1, clientCount/len(generators)), Bytes: traffic.ChatBytes}
	outcomes := make([]traffic.Outcome, len(generators))
	var wg sync.WaitGroup
	for i, g := range generators {
		wg.Go(func() { outcomes[i] = g.Run(ctx, l, r.each) })
	}
	wg.Wait()
	var all traffic.Outcome
	for _, o := range outcomes {
		all.Merge(o)
	}
	if all.Failed > 0 {
		return fmt.Errorf("%d requests failed, first: %w", all.Failed, all.FirstErr)
	}
	box.Answered += len(all.Took)
	// Work that the proxies do later belongs to the requests too.
	if _, err := box.AwaitRecords(ctx, box.Answered); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	after, err := sampleCPU(pids, r.upstream.PID())
	if err != nil || !counts {
		return err
	}
	f.perSecond = append(f.perSecond, float64(len(all.Took))/r.each.Seconds())
	f.perCPU = append(f.perCPU, float64(len(all.Took))/(after.proxies-before.proxies).Seconds())
	f.generator = append(f.generator, 100*(after.generator-before.generator).Seconds()/(after.whole-before.whole).Seconds())
	return nil
}

// cpuSample is the CPU time of the proxies together, of the load generator with the upstream,
// and of the machine.
type cpuSample struct{ proxies, generator, whole time.Duration }

func sampleCPU(pids []int, upstream int) (s cpuSample, err error) {
	all, err := procfs.List()
	if err != nil {
		return s, err
	}
	for _, pid := range pids {
		s.proxies += all.CPUTime(pid)
	}
	s.generator = all[os.Getpid()].Used + all.CPUTime(upstream)
	_, s.whole, err = procfs.MachineTime()
	return s, err
}

// pinToCore lets a process run on one core only, so that proxies do not share caches by chance.
func pinToCore(ctx context.Context, pid, core int) error {
	out, err := exec.CommandContext(ctx, "taskset", "--all-tasks", "--cpu-list", "--pid", strconv.Itoa(core), strconv.Itoa(pid)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

func printTable(out io.Writer, all []figures) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "proxies\tresponses/s\tresponses per CPU-second\tlowest-highest\trelative to the first\tresult\tgenerator and upstream, CPU %\t\n")
	for _, f := range all {
		per := stats.NewSpread(f.perCPU)
		relative := per.Median / stats.Median(all[0].perCPU)
		result := stats.FormatVerdict(new(relative >= 1-tolerance && relative <= 1+tolerance))
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t\n", f.proxies, stats.FormatThousands(stats.Median(f.perSecond)), stats.FormatThousands(per.Median),
			per.FormatRange(stats.FormatThousands), stats.FormatRatio(relative), result, stats.Median(f.generator))
	}
	_ = w.Flush()
	fmt.Fprintf(out, "\nThe target is %.0f %% of the requests per CPU-second of the first row. %d clients in total, medians. Each proxy runs on one core.\n"+
		"CPU is that of all proxies, with the work after the last response. Records of all requests are stored.\n", 100*tolerance, clientCount)
}
