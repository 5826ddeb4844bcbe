package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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
	// others is what it cost the processes that work for the peer.
	others   map[string]float64
	p50, p99 float64
	first    float64
	// rss is the peak, in MiB.
	rss float64
	// foreign is how much of the machine others used meanwhile, in percent.
	foreign float64
}

// gauge is the state of the processes at a moment.
type gauge struct {
	peer, ours, busy, whole time.Duration
	others                  map[string]time.Duration
}

func (t *target) read() (g gauge, err error) {
	all, err := listProcesses()
	if err != nil {
		return g, err
	}
	g.peer, g.others = all.used(t.pid), map[string]time.Duration{}
	for name, pid := range t.others {
		g.others[name] = all.used(pid)
	}
	// Whatever works here was started by this process.
	g.ours = all.used(os.Getpid())
	g.busy, g.whole, err = machine()
	return g, err
}

// measureLoad puts a load on a peer and reads what it cost.
func (b *bench) measureLoad(ctx context.Context, t *target, g *generator, l load) (figures, error) {
	if l.rate > 0 {
		defer b.quieten(ctx)()
	}
	if err := forgetPeak(t.pid); err != nil {
		return figures{}, err
	}
	before, err := t.read()
	if err != nil {
		return figures{}, err
	}
	o := g.run(ctx, l, b.lasts(l))
	after, err := t.read()
	if err != nil {
		return figures{}, err
	}
	rss, err := peakMemory(t.pid)
	if err != nil {
		return figures{}, err
	}
	rested, err := t.settle(ctx, g.answered)
	f := compute(o, before, after, rested)
	f.rss = rss
	return f, err
}

func compute(o outcome, before, after, rested gauge) figures {
	f := figures{outcome: o, cpu: perAnswer(rested.peer-before.peer, o), later: perAnswer(rested.peer-after.peer, o)}
	f.others = map[string]float64{}
	for name := range maps.Keys(before.others) {
		f.others[name] = perAnswer(rested.others[name]-before.others[name], o)
	}
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

const (
	// restFor is how long processes must do next to nothing to be at rest.
	restFor   = 150 * time.Millisecond
	restLimit = 20 * time.Second
)

// errRestless says that a figure would lack what was still to be done.
var errRestless = errors.New("the work did not end after the last answer")

// settle waits until the peer and all that work for it have nothing left to do:
// what they put off is part of what a request costs, and would be in the way of
// the next load.
func (t *target) settle(ctx context.Context, answered int) (last gauge, err error) {
	if t.box != nil {
		if _, err := t.box.records(ctx, t.box.answered+answered); err != nil {
			return last, fmt.Errorf("read the ledger: %w", err)
		}
	}
	if last, err = t.read(); err != nil {
		return last, err
	}
	every := time.NewTicker(restFor)
	defer every.Stop()
	for until := time.Now().Add(restLimit); time.Now().Before(until); {
		select {
		case <-every.C:
		case <-ctx.Done():
			return last, ctx.Err()
		}
		now, err := t.read()
		if err != nil || idle(last, now) {
			return last, err
		}
		last = now
	}
	return last, errRestless
}

// idle reports whether no process did more than what the clock's coarseness
// may show of one that only waits.
func idle(last, now gauge) bool {
	if now.peer-last.peer > tick {
		return false
	}
	for name, used := range now.others {
		if used-last.others[name] > tick {
			return false
		}
	}
	return true
}
