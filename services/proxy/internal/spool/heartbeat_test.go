package spool

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// listener counts the reports and can refuse them.
type listener struct {
	*flaky
	reports atomic.Int64
	deaf    atomic.Bool
}

func (l *listener) ReportState(ctx context.Context, s records.ProducerState) error {
	l.reports.Add(1)
	if l.deaf.Load() {
		return errors.New("not heard")
	}
	return l.Memory.ReportState(ctx, s)
}

// state returns the last report of a producer without the fields that differ between
// machines and runs.
func (l *listener) state(t *testing.T, producer string) (records.ProducerState, time.Duration) {
	t.Helper()
	states, err := l.ProducerStates(t.Context())
	require.NoError(t, err)
	for _, s := range states {
		if s.Producer == producer {
			age := time.Since(s.At)
			s.At, s.Host = time.Time{}, ""
			return s, age
		}
	}
	return records.ProducerState{}, 0
}

func TestTheLedgerIsToldWhatWasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &listener{flaky: &flaky{Memory: records.NewMemory(), lose: true}}, newLedger()
		s := open(t, config(t, t.TempDir()))
		stop := ship(t, s, pub, pub, store)
		name := s.Stats().Producer
		write(t, s, 0, 3)
		damage(t, s, 2)
		<-time.After(2 * time.Second)
		got, _ := pub.state(t, name)
		require.Equal(t, records.ProducerState{Producer: name, Written: 3, FirstUnstored: 1, Lost: 1}, got, "what never arrives is known")

		pub.set(func() { pub.lose = false })
		<-time.After(2 * time.Minute)
		got, age := pub.state(t, name)
		require.Equal(t, records.ProducerState{Producer: name, Written: 3, FirstUnstored: 4, Lost: 1}, got)
		require.LessOrEqual(t, age, maxBeatInterval+time.Second, "it is still there")

		before := pub.reports.Load()
		<-time.After(5 * time.Minute)
		require.LessOrEqual(t, pub.reports.Load()-before, int64(5*6+1), "an idle one is quiet")

		write(t, s, 10, 11)
		stop()
		got, age = pub.state(t, name)
		require.EqualValues(t, 4, got.Written)
		require.Zero(t, age, "the last word")
	})
}

func TestABusySpoolReportsOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &listener{flaky: &flaky{Memory: records.NewMemory()}}, newLedger()
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		for n := range 200 {
			write(t, s, n, n+1)
			<-time.After(50 * time.Millisecond)
		}
		require.LessOrEqual(t, pub.reports.Load(), int64(12))
		require.GreaterOrEqual(t, pub.reports.Load(), int64(9))
		<-time.After(2 * time.Second)
		got, _ := pub.state(t, s.Stats().Producer)
		require.EqualValues(t, 201, got.FirstUnstored, "the end of the work is told soon")
	})
}

// The process that adopts a directory reports for its dead producer.
func TestAnAdoptedProducerIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, t.TempDir())
		dead := open(t, c)
		write(t, dead, 0, 3)
		crash(dead)
		pub, store := &listener{flaky: &flaky{Memory: records.NewMemory(), lose: true}}, newLedger()
		s := open(t, c)
		defer ship(t, s, pub, pub, store)()
		<-time.After(2 * time.Second)
		got, _ := pub.state(t, dead.Stats().Producer)
		require.Equal(t, records.ProducerState{Producer: dead.Stats().Producer, Written: 3, FirstUnstored: 1}, got)
	})
}

// A failing report does not stop the sending.
func TestRecordsAreShippedWithoutReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &listener{flaky: &flaky{Memory: records.NewMemory()}}, newLedger()
		pub.deaf.Store(true)
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		write(t, s, 0, 3)
		<-time.After(10 * time.Second)
		require.Len(t, store.texts(), 3)
		pub.deaf.Store(false)
		<-time.After(maxBeatInterval + time.Second)
		got, _ := pub.state(t, s.Stats().Producer)
		require.EqualValues(t, 3, got.Written)
	})
}
