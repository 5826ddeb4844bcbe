package spool

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// When the disk recovers, the refused records are written to it, and a process that
// dies then loses nothing.
func TestWhatWaitsInMemoryOutlivesTheProcessOnceTheDiskIsWell(t *testing.T) {
	c, store := config(t, t.TempDir()), newLedger()
	var memory string
	synctest.Test(t, func(t *testing.T) {
		s := open(t, c)
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("one"))))
		mend := fillDisk(t, s)
		require.NoError(t, s.End(id(1), withHeadroom([]byte("ended one"))))
		require.NoError(t, s.End(id(2), withHeadroom([]byte("ended two"))))
		<-time.After(time.Second)
		require.Equal(t, 2, s.queued())
		mend()
		<-time.After(2 * probeInterval)
		require.Zero(t, s.queued(), "it is on the disk")
		require.Zero(t, s.Stats().OpenRequests)
		require.EqualValues(t, 2, s.Stats().Waiting, "and not in the store")
		memory = s.queue.producer
		crash(s)
	})
	require.Equal(t, []string{"ended one", "ended two"}, shipAll(t, c, store))
	require.Equal(t, map[uint64]string{1: "ended one", 2: "ended two"}, store.of(func(p string) bool { return p == memory }))
	require.Empty(t, names(t, c.Dir))
}

func TestWhatWasSavedAndIsStoredLeavesNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, pub, store := config(t, t.TempDir()), &flaky{Memory: records.NewMemory(), refuse: true}, newLedger()
		s := open(t, c)
		for n := range 2 {
			mend := fillDisk(t, s)
			require.NoError(t, s.End(id(n), withHeadroom([]byte{'a' + byte(n)})))
			mend()
			<-time.After(2 * probeInterval)
		}
		require.NotEmpty(t, segmentsOf(t, c.Dir, s.queue.producer))
		defer ship(t, s, pub, pub, store)()
		pub.set(func() { pub.refuse = false })
		flush(t, s)
		require.Equal(t, []string{"a", "b"}, store.texts())
		require.Len(t, names(t, c.Dir), 2, "own lock and segment")
		require.Equal(t, s.Stats().Bytes, s.capacity.used.Load())
	})
}

func TestTheLedgerIsToldOfWhatWaitsInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub := &listener{flaky: &flaky{Memory: records.NewMemory(), lose: true}}
		s := open(t, config(t, t.TempDir()))
		fillDisk(t, s)
		require.NoError(t, s.End(id(1), withHeadroom([]byte("in memory"))))
		defer ship(t, s, pub, pub, newLedger())()
		<-time.After(2 * time.Second)
		got, _ := pub.state(t, s.queue.producer)
		require.Equal(t, records.ProducerState{Producer: s.queue.producer, Written: 1, FirstUnstored: 1}, got)
	})
}

func TestCloseCountsWhatFindsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, t.TempDir())
		pub := &listener{flaky: &flaky{Memory: records.NewMemory(), lose: true}}
		s := open(t, c)
		stop := ship(t, s, pub, pub, newLedger())
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("one"))))
		fillDisk(t, s)
		for n := 1; n <= 3; n++ {
			require.NoError(t, s.End(id(n), withHeadroom([]byte("record"))))
		}
		<-time.After(time.Second)
		stop()
		s.queue.config.Dir = s.own.segments[0].path // no directory can be made there
		require.ErrorContains(t, s.Close(), "lost 3 records that waited in memory")
		require.EqualValues(t, 2, s.Stats().WithoutRecord, "one of them has its START")
		got, _ := pub.state(t, s.own.producer)
		require.EqualValues(t, 2, got.Refused, "the ledger knows")
		got, _ = pub.state(t, s.queue.producer)
		require.Equal(t, records.ProducerState{Producer: s.queue.producer, Written: 3, FirstUnstored: 1}, got)
	})
}

// A record that waited in memory has no END frame beside its START frame. The START frame is
// deleted soon after the record is stored. Otherwise a process that is killed later would send
// the request again as aborted.
func TestARecordStoredFromMemoryIsNotAborted(t *testing.T) {
	c, store := config(t, t.TempDir()), newLedger()
	synctest.Test(t, func(t *testing.T) {
		pub := &flaky{Memory: records.NewMemory(), refuse: true}
		s := open(t, c)
		stop := ship(t, s, pub, pub, store)
		require.NoError(t, s.Start(id(1), withHeadroom([]byte("one"))))
		mend := fillDisk(t, s)
		require.NoError(t, s.End(id(1), withHeadroom([]byte("ended one"))))
		mend()
		<-time.After(2 * probeInterval)
		pub.set(func() { pub.refuse = false })
		flush(t, s)
		require.NoError(t, s.End(id(2), withHeadroom([]byte("ended two"))))
		flush(t, s)
		stop()
		crash(s)
	})
	require.Equal(t, []string{"ended one", "ended two"}, shipAll(t, c, store))
}
