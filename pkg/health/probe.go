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
	// probeInterval is the mean time between two probes. It is short enough to report an
	// outage within seconds.
	probeInterval = 2 * time.Second
	// probeTimeout limits a probe. A slower dependency counts as unavailable.
	probeTimeout = 2 * time.Second
)

var errNotProbed = errors.New("not probed yet")

// Probes check dependencies in the background. A Readiness reports their last results, so a
// readiness request never waits for a dependency. Probes log when a dependency becomes
// unavailable and when it is available again.
type Probes struct {
	ready  *Readiness
	log    *slog.Logger
	probes []*probe
}

// NewProbes returns an empty set of probes.
func NewProbes(ready *Readiness, log *slog.Logger) *Probes { return &Probes{ready: ready, log: log} }

// AddRequired adds a dependency that the process needs in order to serve. The process is ready
// only if the last call of check succeeded. Call AddRequired before Run. check must return when
// its context is done. Calls of one check never overlap.
func (p *Probes) AddRequired(name string, check func(context.Context) error) {
	p.ready.AddRequired(name, p.add(name, check).lastError)
}

// AddOptional adds a dependency like AddRequired. If check fails, the process is only degraded.
func (p *Probes) AddOptional(name string, check func(context.Context) error) {
	p.ready.AddOptional(name, p.add(name, check).lastError)
}

func (p *Probes) add(name string, check func(context.Context) error) *probe {
	added := &probe{log: p.log.With("dependency", name), check: check, err: errNotProbed}
	p.probes = append(p.probes, added)
	return added
}

// Run probes each dependency independently until ctx is done.
func (p *Probes) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, probe := range p.probes {
		wg.Go(func() { probe.run(ctx) })
	}
	wg.Wait()
	<-ctx.Done()
	return nil
}

type probe struct {
	log   *slog.Logger
	check func(context.Context) error

	mu  sync.Mutex
	err error
}

// lastError returns the error of the last probe. Before the first probe it is errNotProbed.
func (p *probe) lastError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *probe) run(ctx context.Context) {
	for {
		p.probeOnce(ctx)
		// The jitter spreads the probes of processes that started together.
		pause := probeInterval*3/4 + rand.N(probeInterval/2) //nolint:gosec // jitter needs no secure randomness
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (p *probe) probeOnce(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	err := p.check(limited)
	if ctx.Err() != nil {
		return // the process is stopping, so an error says nothing about the dependency
	}
	p.mu.Lock()
	before := p.err
	p.err = err
	p.mu.Unlock()
	switch wasDown := before != nil && !errors.Is(before, errNotProbed); {
	case err != nil && !wasDown:
		p.log.WarnContext(ctx, "dependency unavailable", "error", err)
	case err == nil && wasDown:
		p.log.InfoContext(ctx, "dependency available again")
	}
}
