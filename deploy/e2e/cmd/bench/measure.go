package main

import (
	"context"
	"os"
	"slices"
	"time"
)

// figures are what one load told of one peer. Times are in microseconds.
type figures struct {
	outcome outcome
	// rate is answers a second.
	rate float64
	// cpu is what an answer cost the process, until it was at rest again;
	// later is the part of it that came after the last answer.
	cpu, later float64
	p50, p99   float64
	first      float64
	rss        float64
	// foreign is how much of the machine others used meanwhile, in percent.
	foreign float64
}

// gauge is the state of the processes at a moment.
type gauge struct {
	peer, ours, busy, whole time.Duration
}

func (b *bench) read(t *target) (g gauge, err error) {
	if g.peer, err = cpuTime(t.pid); err != nil {
		return g, err
	}
	for _, pid := range ours(t.pid, b.upstream.pid(), os.Getpid()) {
		used, err := cpuTime(pid)
		if err != nil {
			return g, err
		}
		g.ours += used
	}
	g.busy, g.whole, err = machine()
	return g, err
}

func ours(pids ...int) []int {
	slices.Sort(pids)
	return slices.Compact(pids)
}

// measureLoad puts a load on a peer and reads what it cost.
func (b *bench) measureLoad(ctx context.Context, t *target, g *generator, l load) (figures, error) {
	before, err := b.read(t)
	if err != nil {
		return figures{}, err
	}
	o := g.run(ctx, l, b.lasts(l))
	after, err := b.read(t)
	if err != nil {
		return figures{}, err
	}
	f := compute(o, before, after)
	if f.rss, err = memory(t.pid); err != nil {
		return f, err
	}
	atRest, err := rest(ctx, t.pid)
	f.later = perAnswer(atRest-after.peer, o)
	f.cpu += f.later
	return f, err
}

func compute(o outcome, before, after gauge) figures {
	f := figures{outcome: o, cpu: perAnswer(after.peer-before.peer, o)}
	f.rate = float64(len(o.took)) / o.lasted.Seconds()
	f.p50 = percentile(o.took, 50, whole)
	f.p99 = percentile(o.took, 99, whole)
	f.first = percentile(o.took, 50, first)
	foreign := (after.busy - before.busy) - (after.ours - before.ours)
	if all := after.whole - before.whole; all > 0 {
		f.foreign = max(0, 100*foreign.Seconds()/all.Seconds())
	}
	return f
}

func perAnswer(d time.Duration, o outcome) float64 {
	if len(o.took) == 0 {
		return 0
	}
	return micros(d) / float64(len(o.took))
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func whole(t timing) time.Duration { return t.whole }
func first(t timing) time.Duration { return t.first }

// percentile is the smallest time that p percent of the answers did not
// exceed.
func percentile(took []timing, p int, of func(timing) time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	all := make([]time.Duration, len(took))
	for i, t := range took {
		all[i] = of(t)
	}
	slices.Sort(all)
	return micros(all[(len(all)*p+99)/100-1])
}

// median of an even number is the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
