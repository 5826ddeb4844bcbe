package spool

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

var body = "|" + strings.Repeat("body ", 200)

// small configures a spool of 100 KB with segments of 5 KB.
func small(t testing.TB, dir string) Config {
	c := config(t, dir)
	c.MaxBytes, c.SegmentBytes = 100_000, 5_000
	return c
}

// writeWhole writes records with a body of 1 KB.
func writeWhole(t testing.TB, s *Spool, from, to int) (metas []string) {
	t.Helper()
	for i := from; i < to; i++ {
		meta := fmt.Sprintf("record %05d", i)
		require.NoError(t, s.Start(id(i), withHeadroom(nil)))
		require.NoError(t, s.End(id(i), withHeadroom([]byte(meta+body))))
		metas = append(metas, meta)
	}
	return metas
}

// fill writes records without bodies until a percentage of the limit is used.
func fill(t testing.TB, s *Spool, percent int64) {
	t.Helper()
	for i := 10_000; !s.capacity.isAbove(percent, s.capacity.limit); i++ {
		require.NoError(t, s.End(id(i), withHeadroom(bytes.Repeat([]byte("m"), 400))))
	}
}

// bare returns how many of the texts have lost their body. It requires that these are
// the oldest and that nothing else is missing.
func bare(t *testing.T, metas, texts []string) (n int) {
	t.Helper()
	require.Len(t, texts, len(metas))
	for i, meta := range metas {
		if texts[i] == meta {
			require.Equal(t, i, n, "an older one has its body")
			n++
			continue
		}
		require.Equal(t, meta+body, texts[i])
	}
	return n
}

func TestBodiesOfTheOldestAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, small(t, t.TempDir()))
		metas := writeWhole(t, s, 0, 60)
		<-time.After(time.Second)
		st := s.Stats()
		require.Zero(t, st.DroppedBodies, "there is room")
		require.Equal(t, Normal, st.Level)
		require.EqualValues(t, 100_000, st.MaxBytes)

		metas = append(metas, writeWhole(t, s, 60, 80)...)
		<-time.After(time.Second)
		st = s.Stats()
		require.Equal(t, Normal, st.Level, "and there is again")
		require.LessOrEqual(t, st.Bytes, int64(60_000))
		require.Greater(t, st.Bytes, int64(50_000), "no more was dropped than needed")
		require.Equal(t, st.Bytes, s.capacity.used.Load())

		store := newLedger()
		mem := records.NewMemory()
		defer ship(t, s, mem, mem, store)()
		flush(t, s)
		n := bare(t, metas, store.texts())
		require.Positive(t, n)
		require.Equal(t, uint64(n), st.DroppedBodies)
		require.Zero(t, s.Stats().Lost)
		require.Equal(t, s.Stats().Bytes, s.capacity.used.Load())
	})
}

func TestBodiesOfADeadProducerGoFirst(t *testing.T) {
	c := small(t, t.TempDir())
	dead := open(t, c)
	metas := writeWhole(t, dead, 0, 40)
	crash(dead)
	store := newLedger()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, c)
		metas = append(metas, writeWhole(t, s, 40, 70)...)
		<-time.After(time.Second)
		require.Positive(t, s.Stats().DroppedBodies)
		require.NoError(t, s.Close())
	})
	require.Positive(t, bare(t, metas, shipAll(t, c, store)))
	require.Empty(t, names(t, c.Dir))
}

// Bodies that the store has can be dropped without loss, even if their file is needed.
func TestBodiesThatTheStoreHasGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		s := open(t, small(t, t.TempDir()))
		defer ship(t, s, pub, pub, store)()
		metas := writeWhole(t, s, 0, 20)
		<-time.After(time.Second)
		pub.set(func() { pub.lose = false })
		metas = append(metas, writeWhole(t, s, 20, 60)...)
		<-time.After(time.Second)
		require.Len(t, store.texts(), 40, "the first are on nobody's way")
		metas = append(metas, writeWhole(t, s, 60, 75)...)
		<-time.After(100 * time.Millisecond)
		st := s.Stats()
		require.Less(t, st.Bytes, int64(70_000))
		require.Zero(t, st.DroppedBodies)
		flush(t, s)
		require.Zero(t, bare(t, metas, store.texts()))
	})
}

// The process may die before the copy is complete, or before it replaces the segment.
func TestUnfinishedCopyIsForgotten(t *testing.T) {
	dir := t.TempDir()
	c := small(t, dir)
	s := open(t, c)
	metas := writeWhole(t, s, 0, 10)
	crash(s)
	first := segmentsOf(t, dir, s.own.producer)[0]
	data, err := os.ReadFile(first)
	require.NoError(t, err)
	made := segment.CopyWithoutBodies(s.own.checksumSeed, data, stripText).Data
	for _, cut := range []int{0, len(made) / 2, len(made)} {
		c.Dir = copyTree(t, dir)
		left := segmentsOf(t, c.Dir, s.own.producer)[0] + segment.CopySuffix
		require.NoError(t, os.WriteFile(left, made[:cut], 0o600))
		require.Zero(t, bare(t, metas, shipAll(t, c, newLedger())))
		require.Empty(t, names(t, c.Dir))
	}
}

func TestCopyThatTheDiskRefusesChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		c.MaxBytes, c.SegmentBytes = 100_000, 5_000
		s := open(t, c)
		// A folder where the first copy should go.
		taken := filepath.Join(s.own.dir, segment.FormatName(1)+segment.CopySuffix)
		require.NoError(t, os.MkdirAll(filepath.Join(taken, "x"), 0o700))
		metas := writeWhole(t, s, 0, 80)
		<-time.After(10 * time.Second)
		require.Equal(t, 1, strings.Count(log.String(), "cannot drop bodies"), "it is logged once")
		require.Equal(t, Trimming, s.Stats().Level)
		require.Zero(t, s.Stats().DroppedBodies)
		require.NoError(t, os.RemoveAll(taken))
		<-time.After(2 * stripRetryDelay)
		require.Equal(t, Normal, s.Stats().Level, "though nothing was appended")
		store, mem := newLedger(), records.NewMemory()
		defer ship(t, s, mem, mem, store)()
		flush(t, s)
		bare(t, metas, store.texts())
	})
}

func TestSpoolNearlyFullKeepsMetadataOnly(t *testing.T) {
	s := open(t, small(t, t.TempDir()))
	fill(t, s, metadataOnlyPercent)
	require.Equal(t, MetadataOnly, s.Stats().Level)
	metas := writeWhole(t, s, 0, 3)
	require.EqualValues(t, 3, s.Stats().DroppedBodies)
	require.NoError(t, s.own.sync())
	b, err := s.own.readBatch(s.own.lastAssigned() - 2)
	require.NoError(t, err)
	for i, e := range b.entries {
		require.Equal(t, metas[i], string(e.Record))
	}

	require.NoError(t, s.Start(id(9), withHeadroom(nil)), "begun in time")
	fill(t, s, fullPercent)
	require.Equal(t, Shedding, s.Stats().Level)
	require.ErrorIs(t, s.Start(id(8), withHeadroom(nil)), ErrFull)
	require.NoError(t, s.End(id(8), withHeadroom([]byte("its refusal is recorded"))))
	fill(t, s, refuseEndPercent)
	require.ErrorIs(t, s.End(id(7), withHeadroom([]byte("until that is too much"))), ErrFull)
	require.NoError(t, s.End(id(9), withHeadroom([]byte("but what began is recorded"))))
	require.Zero(t, s.Stats().OpenRequests)
}

func TestSpoolThatShedsRefusesNewRequests(t *testing.T) {
	c := small(t, t.TempDir())
	c.Shed = true
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom(nil)))
	fill(t, s, metadataOnlyPercent)
	require.Equal(t, Shedding, s.Stats().Level)
	require.ErrorIs(t, s.Start(id(2), withHeadroom(nil)), ErrFull)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("begun before"+body))))
	require.NoError(t, s.End(id(2), withHeadroom([]byte("refused"))))
	require.EqualValues(t, 1, s.Stats().DroppedBodies, "what is begun may not fill the rest with bodies")
}

func TestTheLadderIsLoggedOncePerRung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		c.MaxBytes, c.SegmentBytes = 100_000, 5_000
		s := open(t, c)
		for _, percent := range []int64{trimAbovePercent, trimAbovePercent + 5, metadataOnlyPercent, metadataOnlyPercent + 2, fullPercent} {
			fill(t, s, percent)
			<-time.After(time.Second)
		}
		require.Equal(t, 3, strings.Count(log.String(), "running out of capacity"))
		require.Equal(t, 1, strings.Count(log.String(), "shedding=true"))
	})
}

// While the disk refuses frames, the memory queue has levels of its own.
func TestMemoryHalfFullTakesNoBodiesAndNoNewRequests(t *testing.T) {
	c := config(t, t.TempDir())
	c.MaxMemoryBytes = 10_000
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom(nil)))
	fillDisk(t, s)
	err := s.Start(id(2), withHeadroom(nil))
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrFull, "the memory has room")
	var n int
	for n = 10; !s.queue.isHalfFull(); n++ {
		require.NoError(t, s.End(id(n), withHeadroom([]byte("record"+body))))
	}
	require.ErrorIs(t, s.Start(id(3), withHeadroom(nil)), ErrFull)
	require.Equal(t, Shedding, s.Stats().Level)
	for range 100 {
		require.NoError(t, s.End(id(n), withHeadroom([]byte("record"+body))))
		n++
	}
	texts := map[string]int{}
	for _, it := range s.queue.items {
		texts[string(it.payload)]++
	}
	require.Equal(t, n-10, texts["record"]+texts["record"+body])
	require.EqualValues(t, texts["record"], s.Stats().DroppedBodies)
	require.GreaterOrEqual(t, texts["record"], 100)
}

// The disk may have space for a record without its body.
func TestRecordTooLongForTheDiskGoesWithoutItsBody(t *testing.T) {
	c := config(t, t.TempDir())
	c.MaxMemoryBytes = 10
	s := open(t, c)
	lift := limitFiles(t, 500)
	err := s.End(id(1), withHeadroom([]byte("record"+body)))
	lift()
	require.NoError(t, err)
	require.Zero(t, s.queued())
	require.EqualValues(t, segment.HeaderBytes+len("record"), s.Stats().Bytes)
}
