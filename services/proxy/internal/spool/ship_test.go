package spool

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

func write(t testing.TB, s *Spool, from, to int) (texts []string) {
	t.Helper()
	for i := from; i < to; i++ {
		text := fmt.Sprintf("record %05d", i)
		require.NoError(t, s.Start(id(i), withHeadroom(nil)))
		require.NoError(t, s.End(id(i), withHeadroom([]byte(text))))
		texts = append(texts, text)
	}
	return texts
}

func TestLostRecordsAreSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		want := write(t, s, 0, 5000)
		<-time.After(time.Second)
		require.Empty(t, store.texts())
		require.Zero(t, s.Stats().Committed)

		pub.set(func() { pub.lose = false })
		begun := time.Now()
		want = append(want, write(t, s, 5000, 5010)...)
		flush(t, s)
		require.Equal(t, want, store.texts())
		require.Less(t, time.Since(begun), 10*time.Second, "refilled within a few rounds (of a clock that never lags)")
	})
}

func TestDeadStoreIsNotFloodedWithResends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub := &flaky{Memory: records.NewMemory(), lose: true}
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, newLedger())()
		write(t, s, 0, 2000)
		<-time.After(time.Second)
		_, first := pub.published()
		require.Equal(t, 2000, first)
		<-time.After(10 * time.Minute)
		_, all := pub.published()
		again := (all - first) / maxBatchEntries
		require.GreaterOrEqual(t, again, 8)
		require.LessOrEqual(t, again, 20, "5 s, then growing to a minute, one batch each")
	})
}

func TestResendsGrowAsTheyGetThrough(t *testing.T) {
	now, r := time.Now(), resender{firstDelay: time.Second}
	require.Zero(t, r.batchesToResend(1, 1001, now), "just sent")
	now = now.Add(2 * time.Second)
	require.Equal(t, 1, r.batchesToResend(1, 1001, now))
	r.resentUpTo = 200
	require.Zero(t, r.batchesToResend(1, 1001, now.Add(time.Second)), "twice as patient")
	require.Zero(t, r.batchesToResend(100, 1001, now), "on its way")
	require.Equal(t, 2, r.batchesToResend(201, 1001, now))
	r.resentUpTo = 600
	require.Equal(t, 4, r.batchesToResend(601, 1201, now))
	r.resentUpTo = 1000
	require.Zero(t, r.batchesToResend(1001, 1201, now), "sent after the doubt arose")
	require.Zero(t, r.batchesToResend(1201, 1201, now))
	require.True(t, r.due.IsZero())
}

func TestOneMissingRecordDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		lost := write(t, s, 0, 1)
		<-time.After(time.Second)
		pub.set(func() { pub.lose = false })
		want := write(t, s, 1, 50)
		<-time.After(time.Second)
		require.Equal(t, want, store.texts())
		flush(t, s)
		require.Equal(t, append(lost, want...), store.texts())
		_, entries := pub.published()
		require.Equal(t, 51, entries, "what is committed is not sent again")
	})
}

func TestRefusingCarrierIsAskedWithPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory(), refuse: true, deaf: true}, newLedger()
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		want := write(t, s, 0, 10)
		for range 600 {
			<-time.After(100 * time.Millisecond)
			want = append(want, write(t, s, len(want), len(want)+1)...)
		}
		calls, _ := pub.published()
		require.LessOrEqual(t, calls, 30, "a minute of 50 ms growing to 5 s")
		require.GreaterOrEqual(t, calls, 10)
		require.True(t, s.publisherFailing.Load())

		pub.set(func() { pub.refuse = false })
		<-time.After(10 * time.Second)
		require.Equal(t, want, store.texts(), "records flow though nobody says what is committed")
		require.Zero(t, s.Stats().Committed)
		pub.set(func() { pub.deaf = false })
		flush(t, s)
		require.Equal(t, uint64(len(want)), s.Stats().Committed)
		<-time.After(5 * time.Second)
		require.False(t, s.publisherFailing.Load())
	})
}

func TestIdleSpoolRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory()}, newLedger()
		s := open(t, config(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		write(t, s, 0, 1)
		flush(t, s)
		synctest.Wait()
		require.True(t, s.nextDeadline().IsZero(), "no timer runs when all is committed")
	})
}

func TestBatchesAreBounded(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	write(t, s, 0, 450)
	big := strings.Repeat("x", 200<<10)
	for i := 450; i < 455; i++ {
		require.NoError(t, s.End(id(i), withHeadroom([]byte(big))))
	}
	require.NoError(t, s.own.sync())
	var sizes []int
	for from := uint64(1); ; {
		b, err := s.own.readBatch(from)
		require.NoError(t, err)
		if b.last == 0 {
			break
		}
		for i, e := range b.entries {
			require.Equal(t, from+uint64(i), e.Seq)
		}
		sizes, from = append(sizes, len(b.entries)), b.last+1
	}
	require.Equal(t, []int{200, 200, 52, 2, 1}, sizes)
}

// Otherwise a number that the store has, and that a power failure removed from the
// disk, would be assigned again.
func TestNothingIsSentBeforeItIsSynced(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	s.cancel() // no sync but ours
	s.loops.Wait()
	require.NoError(t, s.own.sync())
	write(t, s, 0, 3)
	require.Empty(t, s.own.sendableRanges())
	require.NoError(t, s.own.sync())
	write(t, s, 3, 5)
	require.Equal(t, []records.Range{{First: 1, Last: 3}}, s.own.sendableRanges())
	b, err := s.own.readBatch(1)
	require.NoError(t, err)
	require.Len(t, b.entries, 3)
	b, err = s.own.readBatch(4)
	require.NoError(t, err)
	require.Zero(t, b)
	s.shippers[0].addSettled([]records.Range{{First: 1, Last: 3}}, nil)
	require.Equal(t, uint64(4), s.shippers[0].lowestUnsettled(), "nor freed")
}

func TestDamageBeforeSendingIsCountedAndPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, store := records.NewMemory(), newLedger()
		s := open(t, config(t, t.TempDir()))
		want := write(t, s, 0, 3)
		damage(t, s, 2)
		defer ship(t, s, mem, mem, store)()
		flush(t, s)
		require.Equal(t, []string{want[0], want[2]}, store.texts())
		st := s.Stats()
		require.Equal(t, uint64(2), st.Committed)
		require.Equal(t, uint64(1), st.Lost)
	})
}

// A resend reads the damaged number again. It counts as lost once.
func TestLostRecordsAreCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		c, log := logged(t, t.TempDir())
		s := open(t, c)
		want := write(t, s, 0, 3)
		damage(t, s, 2)
		defer ship(t, s, pub, pub, store)()
		<-time.After(5 * time.Minute)
		_, entries := pub.published()
		require.Greater(t, entries, 6, "sent again and again")
		st := s.Stats()
		require.Equal(t, uint64(1), st.Lost)
		require.Zero(t, st.Committed)
		require.Equal(t, uint64(2), st.Waiting)

		pub.set(func() { pub.lose = false })
		<-time.After(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, 1, strings.Count(log.String(), "damaged"))
		require.Equal(t, []string{want[0], want[2]}, store.texts())
		st = s.Stats()
		require.Equal(t, uint64(1), st.Lost)
		require.Equal(t, uint64(2), st.Committed)
	})
}

func TestCommittedRecordIsNotLost(t *testing.T) {
	var l shipper
	l.addSettled(nil, []uint64{1, 2})
	l.addSettled([]records.Range{{First: 2, Last: 3}}, nil)
	l.addSettled([]records.Range{{First: 4, Last: 4}}, nil)
	committed, lost := l.countSettled()
	require.Equal(t, uint64(3), committed, "the store got it before the damage")
	require.Equal(t, uint64(1), lost)
}

func TestFlushDoesNotWaitForWhatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := records.NewMemory()
		s := open(t, config(t, t.TempDir()))
		write(t, s, 0, 1)
		damage(t, s, 1)
		defer ship(t, s, mem, mem, newLedger())()
		flush(t, s)
		require.Equal(t, uint64(1), s.Stats().Lost)
	})
}

// damage makes the record with this number unreadable.
func damage(t *testing.T, s *Spool, seq uint64) {
	t.Helper()
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	seg := s.own.segments[0]
	f, err := os.OpenFile(seg.path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("!"), seg.ends[seg.searchEnd(seq)].offset+segment.HeaderBytes)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestShipTwiceIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := records.NewMemory()
		s := open(t, config(t, t.TempDir()))
		stop := ship(t, s, mem, mem, newLedger())
		synctest.Wait()
		require.Error(t, s.Ship(t.Context(), mem))
		require.NoError(t, s.Close(), "Close ends Ship")
		stop()
		require.NoError(t, s.Ship(t.Context(), mem), "a closed spool has nothing to ship")
	})
}

func TestShipLeavesAClosingSpoolAlone(t *testing.T) {
	s := open(t, config(t, t.TempDir()))
	s.cancel() // as Close does before it takes the lock
	s.shipMu.Lock()
	defer s.shipMu.Unlock()
	require.NoError(t, s.Ship(t.Context(), records.NewMemory()))
}
