package health

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// probeEvery is the mean time between two questions: a loss shows within
	// seconds, and the questions cost nothing beside the work.
	probeEvery = 2 * time.Second
	// probeLimit is how long an answer may take. What takes longer is no use
	// to those who wait for a page.
	probeLimit = 2 * time.Second
)

var errUnasked = errors.New("not asked yet")

// Probes ask in the background whether what a process depends on is there, and
// tell its readiness, which never waits for an answer. A change is logged once.
type Probes struct {
	ready *Readiness
	log   *slog.Logger
	all   []*probe
}

// NewProbes makes probes that ask nobody yet.
func NewProbes(ready *Readiness, log *slog.Logger) *Probes { return &Probes{ready: ready, log: log} }

// Need adds something without which this process cannot serve; until it has
// answered once the process is not ready. It is called before Run. ask returns
// when its context ends, and is not called twice at the same time.
func (p *Probes) Need(name string, ask func(context.Context) error) {
	p.ready.Need(name, p.add(name, ask).last)
}

// Want is the same for something without which it serves, but not as well.
func (p *Probes) Want(name string, ask func(context.Context) error) {
	p.ready.Want(name, p.add(name, ask).last)
}

func (p *Probes) add(name string, ask func(context.Context) error) *probe {
	made := &probe{log: p.log.With("dependency", name), ask: ask, err: errUnasked}
	p.all = append(p.all, made)
	return made
}

// Run asks until ctx ends, each on its own, so that none waits for another.
func (p *Probes) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, one := range p.all {
		wg.Go(func() { one.run(ctx) })
	}
	wg.Wait()
	<-ctx.Done()
	return nil
}

type probe struct {
	log *slog.Logger
	ask func(context.Context) error

	mu  sync.Mutex
	err error
}

// last is the last answer.
func (p *probe) last() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *probe) run(ctx context.Context) {
	for {
		p.look(ctx)
		// Jitter, so that processes which started together do not ask together.
		pause := probeEvery*3/4 + rand.N(probeEvery/2) //nolint:gosec // jitter needs no secrecy
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (p *probe) look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	err := p.ask(limited)
	if ctx.Err() != nil {
		return // what was cut off by the end says nothing
	}
	p.mu.Lock()
	before := p.err
	p.err = err
	p.mu.Unlock()
	switch lost := before != nil && !errors.Is(before, errUnasked); {
	case err != nil && !lost:
		p.log.WarnContext(ctx, "dependency lost", "error", err)
	case err == nil && lost:
		p.log.InfoContext(ctx, "dependency is back")
	}
}
