package completeness_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/completeness"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// monitorEnv is a running monitor between a carrier and a ledger.
type monitorEnv struct {
	t       *testing.T
	carrier *records.Memory
	ledger  *ledger
	monitor *completeness.Monitor
	stop    func()
}

// ledger is a real one that can be made unavailable.
type ledger struct {
	*store.Store
	away    atomic.Bool
	reports atomic.Int64
}

func (l *ledger) Completeness(ctx context.Context) ([]record.Producer, error) {
	if l.away.Load() {
		return nil, errors.New("away")
	}
	return l.Store.Completeness(ctx)
}

func (l *ledger) StoreProducerStates(ctx context.Context, states []records.ProducerState, seen time.Time) error {
	if l.away.Load() {
		return errors.New("away")
	}
	l.reports.Add(1)
	return l.Store.StoreProducerStates(ctx, states, seen)
}

// runInBubble runs a test in a synctest bubble, where time advances when all wait.
func runInBubble(t *testing.T, test func(t *testing.T, r *monitorEnv)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
		require.NoError(t, err)
		r := &monitorEnv{t: t, carrier: records.NewMemory(), ledger: &ledger{Store: s}}
		r.start()
		test(t, r)
		r.stop()
		require.NoError(t, s.Close())
	})
}

func (r *monitorEnv) start() {
	r.monitor = completeness.New(r.carrier, r.ledger, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.monitor.Run(ctx) }()
	r.stop = func() {
		cancel()
		require.NoError(r.t, <-ended)
	}
}

// reportState reports a state of a producer now.
func (r *monitorEnv) reportState(s records.ProducerState) {
	s.At = time.Now()
	require.NoError(r.t, r.carrier.ReportState(r.t.Context(), s))
}

func (r *monitorEnv) hold(last uint64) {
	committed := map[string][]records.Range{"p": {{First: 1, Last: last}}}
	require.NoError(r.t, r.ledger.Insert(r.t.Context(), record.Batch{Committed: committed}))
}

func TestUnarrivedRecordsAreMissing(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		r.reportState(records.ProducerState{Producer: "p", Written: 10, FirstUnstored: 8})
		r.hold(7)
		<-time.After(15 * time.Second)
		require.NoError(t, r.monitor.Check(), "the producer has it")
		require.Equal(t, record.DeliveryCounts{Sent: 10, Stored: 7, InFlight: 3}, r.monitor.Total())

		<-time.After(time.Minute)
		require.ErrorContains(t, r.monitor.Check(), "held by a running proxy: 3")
		require.Equal(t, record.DeliveryCounts{Sent: 10, Stored: 7, Missing: 3}, r.monitor.Total())

		r.hold(10)
		<-time.After(15 * time.Second)
		require.NoError(t, r.monitor.Check())
		require.Equal(t, record.DeliveryCounts{Sent: 10, Stored: 10}, r.monitor.Total())
	})
}

// Records lost on a proxy's disk count like records missing in transit.
func TestLostRecordsAreReported(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		r.hold(9)
		r.reportState(records.ProducerState{Producer: "p", Written: 10, FirstUnstored: 11, Lost: 1})
		<-time.After(15 * time.Second)
		require.ErrorContains(t, r.monitor.Check(), "damaged or removed on a proxy's disk before they were stored: 1")
		r.stop()
		<-time.After(48 * time.Hour)
		r.carrier = records.NewMemory()
		r.start()
		<-time.After(15 * time.Second)
		require.NoError(t, r.monitor.Check(), "old losses are not reported")
	})
}

// An outdated count is an error.
func TestOutdatedCountIsAnError(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		<-time.After(15 * time.Second)
		require.NoError(t, r.monitor.Check())
		r.ledger.away.Store(true)
		<-time.After(15 * time.Second)
		require.ErrorContains(t, r.monitor.Check(), "cannot check record completeness")
		r.ledger.away.Store(false)
		<-time.After(15 * time.Second)
		require.NoError(t, r.monitor.Check())
	})
}

// The ledger retains states that the carrier has lost.
func TestStatesSurviveLossOfCarrier(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		r.reportState(records.ProducerState{Producer: "p", Written: 10, FirstUnstored: 1})
		r.stop() // saves the final reports
		r.carrier = records.NewMemory()
		r.start()
		<-time.After(time.Minute)
		require.EqualValues(t, 10, r.monitor.Total().Missing)
		r.stop()
		<-time.After(48 * time.Hour)
		r.start()
		<-time.After(time.Second)
		require.NoError(t, r.monitor.Check(), "old losses are not reported")
		require.EqualValues(t, 10, r.monitor.Total().Missing)
	})
}

func TestOnlyNewReportsAreStored(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		r.ledger.away.Store(true)
		r.reportState(records.ProducerState{Producer: "p", Written: 10, FirstUnstored: 1})
		<-time.After(15 * time.Second)
		r.ledger.away.Store(false)
		<-time.After(15 * time.Second)
		require.EqualValues(t, 1, r.ledger.reports.Load(), "and only once")
		r.reportState(records.ProducerState{Producer: "p", Written: 11, FirstUnstored: 1})
		<-time.After(15 * time.Second)
		require.EqualValues(t, 2, r.ledger.reports.Load())
		require.EqualValues(t, 11, r.monitor.Total().Sent)
	})
}
