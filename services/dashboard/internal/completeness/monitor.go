// Package completeness monitors whether every record of the proxies is stored. A
// producer is the spool of one proxy. A Monitor reads the states that the producers
// report and saves them in the ledger. It regularly counts how many of their records
// are stored, in flight, missing or lost. It moves and repairs nothing. The dashboard
// runs one Monitor for its readiness check and its metrics.
package completeness

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

// StateSource returns the state that each producer reported last.
// records.Source implements it.
type StateSource interface {
	ProducerStates(ctx context.Context) ([]records.ProducerState, error)
}

// Ledger stores the reported states and returns the known state of every
// producer.
type Ledger interface {
	StoreProducerStates(ctx context.Context, states []records.ProducerState, seen time.Time) error
	Completeness(ctx context.Context) ([]record.Producer, error)
}

const (
	reportInterval = time.Second
	countInterval  = 10 * time.Second
	refreshTimeout = 5 * time.Second
	// recentPeriod is how long the records of a producer count for the readiness
	// check after its last report. Without this limit, a record that never arrives
	// would keep the service degraded forever.
	recentPeriod = 24 * time.Hour
)

// Monitor is safe for concurrent use. Create it with New.
type Monitor struct {
	from   StateSource
	ledger Ledger
	log    *slog.Logger

	// lastReports is the time of each producer's last report, by the producer's clock.
	lastReports map[string]time.Time
	nextCount   time.Time

	mu          sync.Mutex
	total       record.DeliveryCounts
	recentTotal record.DeliveryCounts // of the producers that reported in recentPeriod
	lastErr     error                 // why the counts are out of date; nil if they are current
}

// New returns a monitor whose counts are zero. Run updates the counts.
func New(from StateSource, ledger Ledger, log *slog.Logger) *Monitor {
	return &Monitor{from: from, ledger: ledger, log: log, lastReports: map[string]time.Time{}}
}

// Run monitors until ctx ends, and then saves the producers' final reports.
func (m *Monitor) Run(ctx context.Context) error {
	tick := time.NewTicker(reportInterval)
	defer tick.Stop()
	for {
		m.noteResult(ctx, m.refresh(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportInterval)
			defer cancel()
			m.noteResult(last, m.saveReports(last))
			return nil
		}
	}
}

func (m *Monitor) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	// Stored records can be counted even if the producers' reports are unavailable.
	err := m.saveReports(ctx)
	if time.Now().Before(m.nextCount) {
		return err
	}
	if countErr := m.updateCounts(ctx); countErr != nil {
		return errors.Join(err, countErr)
	}
	m.nextCount = time.Now().Add(countInterval)
	return err
}

func (m *Monitor) saveReports(ctx context.Context) error {
	states, err := m.from.ProducerStates(ctx)
	if err != nil {
		return fmt.Errorf("read producer states: %w", err)
	}
	var news []records.ProducerState
	for _, s := range states {
		if !s.At.Equal(m.lastReports[s.Producer]) {
			news = append(news, s)
		}
	}
	if len(news) == 0 {
		return nil
	}
	if err := m.ledger.StoreProducerStates(ctx, news, time.Now()); err != nil {
		return err
	}
	reports := make(map[string]time.Time, len(states))
	for _, s := range states {
		reports[s.Producer] = s.At
	}
	m.lastReports = reports
	return nil
}

func (m *Monitor) updateCounts(ctx context.Context) error {
	producers, err := m.ledger.Completeness(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	var recent []record.Producer
	for _, p := range producers {
		if now.Sub(p.LastSeen) < recentPeriod {
			recent = append(recent, p)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total, m.recentTotal = record.SumDeliveries(producers, now), record.SumDeliveries(recent, now)
	return nil
}

// Total returns the latest counts of all producers.
func (m *Monitor) Total() record.DeliveryCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// Check returns an error if the counts are out of date, or if a producer that
// reported in the last 24 hours has missing or lost records. It does not block.
func (m *Monitor) Check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.recentTotal.Missing > 0:
		return fmt.Errorf("records that are neither stored nor held by a running proxy: %d", m.recentTotal.Missing)
	case m.recentTotal.Lost > 0:
		return fmt.Errorf("records that were damaged or removed on a proxy's disk before they were stored: %d", m.recentTotal.Lost)
	case m.lastErr != nil:
		return fmt.Errorf("cannot check record completeness: %w", m.lastErr)
	}
	return nil
}

// noteResult logs when monitoring starts to fail and when it works again. It does
// not log every failure, because monitoring runs every second.
func (m *Monitor) noteResult(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	before := m.lastErr
	m.lastErr = err
	m.mu.Unlock()
	if (before == nil) == (err == nil) {
		return
	}
	if err != nil {
		m.log.WarnContext(ctx, "cannot check record completeness", "error", err)
		return
	}
	m.log.InfoContext(ctx, "record completeness is checked again")
}
