package spool

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

var body = "|" + strings.Repeat("body ", 200)

// small is a spool of 100 KB in segments of 5 KB.
func small(t testing.TB, dir string) Config {
	c := config(t, dir)
	c.Bytes, c.SegmentBytes = 100_000, 5_000
	return c
}

// writeWhole writes records with a body of 1 KB.
func writeWhole(t testing.TB, s *Spool, from, to int) (metas []string) {
	t.Helper()
	for i := from; i < to; i++ {
		meta := fmt.Sprintf("record %05d", i)
		require.NoError(t, s.Start(id(i), roomy(nil)))
		require.NoError(t, s.End(id(i), roomy([]byte(meta+body))))
		metas = append(metas, meta)
	}
	return metas
}

// fill takes room with records that have no body, up to a percentage.
func fill(t testing.TB, s *Spool, percent int64) {
	t.Helper()
	for i := 10_000; !s.room.above(percent, s.room.limit); i++ {
		require.NoError(t, s.End(id(i), roomy(bytes.Repeat([]byte("m"), 400))))
	}
}

// bare returns how many of the texts have lost their body, and requires that
// these are the oldest and that nothing else is missing.
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
		require.Zero(t, st.Dropped, "there is room")
		require.Equal(t, Roomy, st.Level)
		require.EqualValues(t, 100_000, st.Limit)

		metas = append(metas, writeWhole(t, s, 60, 80)...)
		<-time.After(time.Second)
		st = s.Stats()
		require.Equal(t, Roomy, st.Level, "and there is again")
		require.LessOrEqual(t, st.Bytes, int64(60_000))
		require.Greater(t, st.Bytes, int64(50_000), "no more was dropped than needed")
		require.Equal(t, st.Bytes, s.room.used.Load())

		store := newLedger()
		mem := records.NewMemory()
		defer ship(t, s, mem, mem, store)()
		flush(t, s)
		n := bare(t, metas, store.texts())
		require.Positive(t, n)
		require.Equal(t, uint64(n), st.Dropped)
		require.Zero(t, s.Stats().Lost)
		require.Equal(t, s.Stats().Bytes, s.room.used.Load())
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
		require.Positive(t, s.Stats().Dropped)
		require.NoError(t, s.Close())
	})
	require.Positive(t, bare(t, metas, shipAll(t, c, store)))
	require.Empty(t, names(t, c.Dir))
}

// What the store has costs nothing to drop, though its file is still needed.
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
		require.Zero(t, st.Dropped)
		flush(t, s)
		require.Zero(t, bare(t, metas, store.texts()))
	})
}

// The process may die with the copy unfinished, or before it takes the place of
// the segment.
func TestUnfinishedCopyIsForgotten(t *testing.T) {
	dir := t.TempDir()
	c := small(t, dir)
	s := open(t, c)
	metas := writeWhole(t, s, 0, 10)
	crash(s)
	first := segmentsOf(t, dir, s.own.producer)[0]
	data, err := os.ReadFile(first)
	require.NoError(t, err)
	made := copyBare(s.own.key, data, stripText).data
	for _, cut := range []int{0, len(made) / 2, len(made)} {
		c.Dir = copyTree(t, dir)
		left := segmentsOf(t, c.Dir, s.own.producer)[0] + copySuffix
		require.NoError(t, os.WriteFile(left, made[:cut], 0o600))
		require.Zero(t, bare(t, metas, shipAll(t, c, newLedger())))
		require.Empty(t, names(t, c.Dir))
	}
}

func TestCopyThatTheDiskRefusesChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		c.Bytes, c.SegmentBytes = 100_000, 5_000
		s := open(t, c)
		// A folder where the first copy should go.
		taken := filepath.Join(s.own.dir, segmentName(1)+copySuffix)
		require.NoError(t, os.MkdirAll(filepath.Join(taken, "x"), 0o700))
		metas := writeWhole(t, s, 0, 80)
		<-time.After(10 * time.Second)
		require.Equal(t, 1, strings.Count(log.String(), "cannot be dropped"), "it is told once")
		require.Equal(t, Crowded, s.Stats().Level)
		require.Zero(t, s.Stats().Dropped)
		require.NoError(t, os.RemoveAll(taken))
		<-time.After(2 * stripRetry)
		require.Equal(t, Roomy, s.Stats().Level, "though nothing was appended")
		store, mem := newLedger(), records.NewMemory()
		defer ship(t, s, mem, mem, store)()
		flush(t, s)
		bare(t, metas, store.texts())
	})
}

func TestSpoolNearlyFullKeepsMetadataOnly(t *testing.T) {
	s := open(t, small(t, t.TempDir()))
	fill(t, s, bareAt)
	require.Equal(t, Bare, s.Stats().Level)
	metas := writeWhole(t, s, 0, 3)
	require.EqualValues(t, 3, s.Stats().Dropped)
	require.NoError(t, s.own.sync())
	b, err := s.own.read(s.own.last() - 2)
	require.NoError(t, err)
	for i, e := range b.entries {
		require.Equal(t, metas[i], string(e.Record))
	}

	require.NoError(t, s.Start(id(9), roomy(nil)), "begun in time")
	fill(t, s, fullAt)
	require.Equal(t, Shedding, s.Stats().Level)
	require.ErrorIs(t, s.Start(id(8), roomy(nil)), ErrFull)
	require.NoError(t, s.End(id(8), roomy([]byte("its refusal is recorded"))))
	fill(t, s, endAt)
	require.ErrorIs(t, s.End(id(7), roomy([]byte("until that is too much"))), ErrFull)
	require.NoError(t, s.End(id(9), roomy([]byte("but what began is recorded"))))
	require.Zero(t, s.Stats().Open)
}

func TestSpoolThatShedsRefusesNewRequests(t *testing.T) {
	c := small(t, t.TempDir())
	c.Shed = true
	s := open(t, c)
	require.NoError(t, s.Start(id(1), roomy(nil)))
	fill(t, s, bareAt)
	require.Equal(t, Shedding, s.Stats().Level)
	require.ErrorIs(t, s.Start(id(2), roomy(nil)), ErrFull)
	require.NoError(t, s.End(id(1), roomy([]byte("begun before"+body))))
	require.NoError(t, s.End(id(2), roomy([]byte("refused"))))
	require.EqualValues(t, 1, s.Stats().Dropped, "what is begun may not fill the rest with bodies")
}

func TestTheLadderIsLoggedOncePerRung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		c.Bytes, c.SegmentBytes = 100_000, 5_000
		s := open(t, c)
		for _, percent := range []int64{crowdedAt, crowdedAt + 5, bareAt, bareAt + 2, fullAt} {
			fill(t, s, percent)
			<-time.After(time.Second)
		}
		require.Equal(t, 3, strings.Count(log.String(), "short of room"))
		require.Equal(t, 1, strings.Count(log.String(), "shedding=true"))
	})
}

// With the disk refusing frames the memory is a ladder of its own.
func TestMemoryHalfFullTakesNoBodiesAndNoNewRequests(t *testing.T) {
	c := config(t, t.TempDir())
	c.MemoryBytes = 10_000
	s := open(t, c)
	require.NoError(t, s.Start(id(1), roomy(nil)))
	fillDisk(t, s)
	err := s.Start(id(2), roomy(nil))
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrFull, "the memory has room")
	var n int
	for n = 10; !s.queue.halfFull(); n++ {
		require.NoError(t, s.End(id(n), roomy([]byte("record"+body))))
	}
	require.ErrorIs(t, s.Start(id(3), roomy(nil)), ErrFull)
	require.Equal(t, Shedding, s.Stats().Level)
	for range 100 {
		require.NoError(t, s.End(id(n), roomy([]byte("record"+body))))
		n++
	}
	texts := map[string]int{}
	for _, it := range s.queue.items {
		texts[string(it.payload)]++
	}
	require.Equal(t, n-10, texts["record"]+texts["record"+body])
	require.EqualValues(t, texts["record"], s.Stats().Dropped)
	require.GreaterOrEqual(t, texts["record"], 100)
}

// The disk may have room for a record without its body.
func TestRecordTooLongForTheDiskGoesWithoutItsBody(t *testing.T) {
	c := config(t, t.TempDir())
	c.MemoryBytes = 10
	s := open(t, c)
	lift := limitFiles(t, 500)
	err := s.End(id(1), roomy([]byte("record"+body)))
	lift()
	require.NoError(t, err)
	require.Zero(t, s.queued())
	require.EqualValues(t, headerBytes+len("record"), s.Stats().Bytes)
}

func FuzzCopyBare(f *testing.F) {
	f.Add([]byte(""), []byte("rubbish"), []byte{0xFF, 'S', 'B', 0xFE})
	f.Add(encoded(7, kindStart, 9, id(9), "whole|body")[:30], make([]byte, 100), encoded(7, kindEnd, 9, id(9), "more|body"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		one := encoded(7, kindEnd, 1001, id(1), "one|body")
		two := encoded(7, kindStart, 0, id(2), "two|body")
		data := slices.Concat(a, one, b, two, c)
		type found struct {
			frame
			payload string
			off     int64
		}
		look := func(data []byte) (out []found, rest []byte) {
			end := 0
			scan(7, data, func(off int, f frame) {
				rest = append(rest, data[end:off]...)
				end = off + headerBytes + len(f.payload)
				out = append(out, found{frame{kind: f.kind, seq: f.seq, id: f.id}, string(f.payload), int64(off)})
			})
			return out, append(rest, data[end:]...)
		}
		want, wantRest := look(data)
		made := copyBare(7, data, stripText)
		for i, w := range want {
			want[i].off = made.at(w.off)
			if meta, had := stripText([]byte(w.payload)); had && w.kind == kindEnd {
				want[i].payload = string(meta)
			}
		}
		got, gotRest := look(made.data)
		require.Equal(t, want, got)
		require.True(t, bytes.Equal(wantRest, gotRest), "damage stays as it is")
	})
}
