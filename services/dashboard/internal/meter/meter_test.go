package meter_test

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
	"github.com/signalbox/signalbox/services/dashboard/internal/meter"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// room is a meter that runs, between a carrier and a ledger.
type room struct {
	t       *testing.T
	carrier *records.Memory
	ledger  *ledger
	meter   *meter.Meter
	stop    func()
}

// ledger is a real one that may be away.
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

func (l *ledger) Report(ctx context.Context, states []records.State, seen time.Time) error {
	if l.away.Load() {
		return errors.New("away")
	}
	l.reports.Add(1)
	return l.Store.Report(ctx, states, seen)
}

// in runs a test in a bubble, where time passes when nobody has anything to do.
func in(t *testing.T, test func(t *testing.T, r *room)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
		require.NoError(t, err)
		r := &room{t: t, carrier: records.NewMemory(), ledger: &ledger{Store: s}}
		r.start()
		test(t, r)
		r.stop()
		require.NoError(t, s.Close())
	})
}

func (r *room) start() {
	r.meter = meter.New(r.carrier, r.ledger, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.meter.Run(ctx) }()
	r.stop = func() {
		cancel()
		require.NoError(r.t, <-ended)
	}
}

// say lets a producer say something now.
func (r *room) say(s records.State) {
	s.At = time.Now()
	require.NoError(r.t, r.carrier.Report(r.t.Context(), s))
}

func (r *room) hold(last uint64) {
	committed := map[string][]records.Range{"p": {{First: 1, Last: last}}}
	require.NoError(r.t, r.ledger.Insert(r.t.Context(), record.Batch{Committed: committed}))
}

func TestATailThatNeverArrivesIsMissed(t *testing.T) {
	in(t, func(t *testing.T, r *room) {
		r.say(records.State{Producer: "p", Written: 10, Held: 8})
		r.hold(7)
		<-time.After(15 * time.Second)
		require.NoError(t, r.meter.Check(), "the producer has it")
		require.Equal(t, record.Meter{Sent: 10, Stored: 7, InFlight: 3}, r.meter.Total())

		<-time.After(time.Minute)
		require.ErrorContains(t, r.meter.Check(), "3 records")
		require.Equal(t, record.Meter{Sent: 10, Stored: 7, Missing: 3}, r.meter.Total())

		r.hold(10)
		<-time.After(15 * time.Second)
		require.NoError(t, r.meter.Check())
		require.Equal(t, record.Meter{Sent: 10, Stored: 10}, r.meter.Total())
	})
}

// What a proxy's disk lost is no smaller loss than what went missing on the way.
func TestWhatWasLostIsTold(t *testing.T) {
	in(t, func(t *testing.T, r *room) {
		r.hold(9)
		r.say(records.State{Producer: "p", Written: 10, Held: 11, Lost: 1})
		<-time.After(15 * time.Second)
		require.ErrorContains(t, r.meter.Check(), "1 records were lost")
		r.stop()
		<-time.After(48 * time.Hour)
		r.carrier = records.NewMemory()
		r.start()
		<-time.After(15 * time.Second)
		require.NoError(t, r.meter.Check(), "nobody can do anything about it any more")
	})
}

// An old count is no answer.
func TestNotToKnowIsNotToBeComplete(t *testing.T) {
	in(t, func(t *testing.T, r *room) {
		<-time.After(15 * time.Second)
		require.NoError(t, r.meter.Check())
		r.ledger.away.Store(true)
		<-time.After(15 * time.Second)
		require.ErrorContains(t, r.meter.Check(), "not known")
		r.ledger.away.Store(false)
		<-time.After(15 * time.Second)
		require.NoError(t, r.meter.Check())
	})
}

// A carrier that lost everything does not make the ledger forget.
func TestWhatWasHeardIsRemembered(t *testing.T) {
	in(t, func(t *testing.T, r *room) {
		r.say(records.State{Producer: "p", Written: 10, Held: 1})
		r.stop() // its last words count too
		r.carrier = records.NewMemory()
		r.start()
		<-time.After(time.Minute)
		require.EqualValues(t, 10, r.meter.Total().Missing)
		r.stop()
		<-time.After(48 * time.Hour)
		r.start()
		<-time.After(time.Second)
		require.NoError(t, r.meter.Check(), "nobody can do anything about it any more")
		require.EqualValues(t, 10, r.meter.Total().Missing)
	})
}

func TestOnlyNewsIsWritten(t *testing.T) {
	in(t, func(t *testing.T, r *room) {
		r.ledger.away.Store(true)
		r.say(records.State{Producer: "p", Written: 10, Held: 1})
		<-time.After(15 * time.Second)
		r.ledger.away.Store(false)
		<-time.After(15 * time.Second)
		require.EqualValues(t, 1, r.ledger.reports.Load(), "and only once")
		r.say(records.State{Producer: "p", Written: 11, Held: 1})
		<-time.After(15 * time.Second)
		require.EqualValues(t, 2, r.ledger.reports.Load())
		require.EqualValues(t, 11, r.meter.Total().Sent)
	})
}
