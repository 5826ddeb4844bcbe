// Package meter keeps track of completeness: it follows what the producers of
// records say they sent, lets the ledger remember it, and knows how much of it
// is stored. It moves no records and heals nothing. The dashboard runs one, for
// its readiness and its metrics.
package meter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Producers is who passes on what producers say.
type Producers interface {
	States(ctx context.Context) ([]records.State, error)
}

// Ledger is who remembers it and knows what is stored.
type Ledger interface {
	Report(ctx context.Context, states []records.State, seen time.Time) error
	Completeness(ctx context.Context) ([]record.Producer, error)
}

const (
	followEvery = time.Second
	countEvery  = 10 * time.Second
	timeout     = 5 * time.Second
	// recent is for how long a producer that is gone is called incomplete:
	// nobody can be alarmed for ever by what will not come back.
	recent = 24 * time.Hour
)

// Meter is safe for concurrent use. Make one with New.
type Meter struct {
	from   Producers
	ledger Ledger
	log    *slog.Logger

	// heard is when each producer last said something, by its own clock.
	heard   map[string]time.Time
	countAt time.Time

	mu      sync.Mutex
	total   record.Meter
	lately  record.Meter // of producers that were there lately
	failing error        // why the count does not hold
}

// New makes a meter that knows nothing until Run.
func New(from Producers, ledger Ledger, log *slog.Logger) *Meter {
	return &Meter{from: from, ledger: ledger, log: log, heard: map[string]time.Time{}}
}

// Run follows until ctx ends; then it takes in the producers' last words.
func (m *Meter) Run(ctx context.Context) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		m.report(ctx, m.step(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), followEvery)
			defer cancel()
			m.report(last, m.follow(last))
			return nil
		}
	}
}

func (m *Meter) step(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// What is stored can be counted while nobody says what was sent.
	err := m.follow(ctx)
	if time.Now().Before(m.countAt) {
		return err
	}
	if countErr := m.count(ctx); countErr != nil {
		return errors.Join(err, countErr)
	}
	m.countAt = time.Now().Add(countEvery)
	return err
}

// follow passes news on to the ledger.
func (m *Meter) follow(ctx context.Context) error {
	states, err := m.from.States(ctx)
	if err != nil {
		return fmt.Errorf("ask producers: %w", err)
	}
	var news []records.State
	for _, s := range states {
		if !s.At.Equal(m.heard[s.Producer]) {
			news = append(news, s)
		}
	}
	if len(news) == 0 {
		return nil
	}
	if err := m.ledger.Report(ctx, news, time.Now()); err != nil {
		return err
	}
	heard := make(map[string]time.Time, len(states))
	for _, s := range states {
		heard[s.Producer] = s.At
	}
	m.heard = heard
	return nil
}

func (m *Meter) count(ctx context.Context) error {
	producers, err := m.ledger.Completeness(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	var lately []record.Producer
	for _, p := range producers {
		if now.Sub(p.LastSeen) < recent {
			lately = append(lately, p)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total, m.lately = record.Total(producers, now), record.Total(lately, now)
	return nil
}

// Total is the last count.
func (m *Meter) Total() record.Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// Check fails if records are missing or lost of producers that were there in
// the last day, or if that is not known at present. It does not block.
func (m *Meter) Check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.lately.Missing > 0:
		return fmt.Errorf("%d records were sent and are not stored", m.lately.Missing)
	case m.lately.Lost > 0:
		return fmt.Errorf("%d records were lost before they could be sent", m.lately.Lost)
	case m.failing != nil:
		return fmt.Errorf("completeness is not known: %w", m.failing)
	}
	return nil
}

// report logs failing and its end, not every attempt.
func (m *Meter) report(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	before := m.failing
	m.failing = err
	m.mu.Unlock()
	if (before == nil) == (err == nil) {
		return
	}
	if err != nil {
		m.log.WarnContext(ctx, "completeness is not known", "error", err)
		return
	}
	m.log.InfoContext(ctx, "completeness is known again")
}
