// Package soak puts mixed traffic with faults on the split deployment for a long time, and
// reports what grows.
package soak

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
)

// Mode is the argument that selects this mode.
const Mode = "soak"

const (
	// parts is the number of parts of the run. Each part has one row in the report.
	parts = 10
	// capacityShare is the rate of the traffic, relative to what the deployment serves at most.
	capacityShare = 0.7
	// faultPause is how long a dependency is stopped, once in each part.
	faultPause = time.Second
)

// soak is one run.
type soak struct {
	out      io.Writer
	box      *rig.Box
	upstream *rig.Child
	// forward is a bare ReverseProxy, which receives the same kind of traffic. Its p99 shows how fast
	// the machine is.
	forward *rig.Child
	traffic *mix
	samples []partSample
}

// Run runs the mode. It prints which figures grew and fails only if it cannot measure.
func Run(ctx context.Context, out io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	bin := flags.String("bin", "bin", "directory of the binaries to measure")
	split := flags.String("split", "bin/split", "program that starts the split deployment")
	lasts := flags.Duration("duration", time.Hour, "duration of the traffic")
	rate := flags.Float64("rate", 0, "requests per second; 0 measures the capacity and takes 70 % of it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := soak{out: out}
	if s.upstream, err = rig.StartSelf(ctx, nil, rig.RoleUpstream); err != nil {
		return err
	}
	defer s.upstream.Stop()
	if s.forward, err = rig.StartSelf(ctx, nil, rig.RoleForward, s.upstream.Address); err != nil {
		return err
	}
	defer s.forward.Stop()
	if s.box, err = rig.StartSplit(ctx, *split, *bin, s.upstream.Address, 2); err != nil {
		return err
	}
	defer s.box.Stop()
	s.traffic = newMix(s.box, s.forward.Address)
	if *rate == 0 {
		*rate = capacityShare * s.traffic.measureCapacity(ctx)
	}
	fmt.Fprintf(out, "%.0f requests/s for %s on 2 proxies\n", *rate, *lasts)
	if err := s.run(ctx, *rate, *lasts); err != nil {
		return err
	}
	s.report()
	return s.reportRecords(ctx)
}

// run measures every part. The faults take turns.
func (s *soak) run(ctx context.Context, rate float64, lasts time.Duration) error {
	victims := []string{"redis", "router", "dashboard", "keyauth"}
	for part := range parts {
		sample, err := s.runPart(ctx, rate, lasts/parts, victims[part%len(victims)])
		if err != nil {
			return err
		}
		s.samples = append(s.samples, sample)
		fmt.Fprintln(s.out, sample.formatProgress(part+1))
		if sample.served == 0 && sample.firstErr != nil { // the rest of the run would measure nothing
			return fmt.Errorf("no request of part %d was served: %w", part+1, sample.firstErr)
		}
	}
	return nil
}

// runPart puts the traffic on the deployment for one part and stops the victim in the middle.
func (s *soak) runPart(ctx context.Context, rate float64, lasts time.Duration, victim string) (partSample, error) {
	during, end := context.WithCancel(ctx)
	defer end()
	memory := make(chan map[string]float64, 1)
	go func() { memory <- watchMemory(during, s.processes()) }()
	before, err := s.cpuTimes()
	if err != nil {
		return partSample{}, err
	}
	fault := time.AfterFunc(lasts/2, func() { s.pause(ctx, victim) })
	defer fault.Stop()
	o := s.traffic.run(ctx, rate, lasts)
	end()
	resident := <-memory
	after, err := s.cpuTimes()
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return partSample{}, err
	}
	sample, err := s.sample(ctx, o, resident)
	sample.cpu = perRequest(before, after, len(o.Took)+o.faulty)
	return sample, err
}

// pause stops a process for a moment, as a machine that swaps or migrates would.
func (s *soak) pause(ctx context.Context, name string) {
	for process, pid := range s.box.Others {
		if !strings.HasPrefix(process, name) {
			continue
		}
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		select {
		case <-time.After(faultPause):
		case <-ctx.Done():
		}
		_ = syscall.Kill(pid, syscall.SIGCONT)
		return
	}
}

// processes returns the measured processes by name.
func (s *soak) processes() map[string]int {
	all := map[string]int{rig.FirstProxy: s.box.Proxy}
	for name, pid := range s.box.Others {
		all[name] = pid
	}
	return all
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
