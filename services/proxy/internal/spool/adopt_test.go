package spool

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// shipAll opens the spool, ships what was left in it and returns the texts of the
// ledger, which may have some of them already.
func shipAll(t *testing.T, c Config, store *ledger) []string {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, c)
		done := make(chan error)
		go func() { done <- s.Ship(t.Context(), direct{store}) }()
		for deadline := time.Now().Add(time.Minute); s.adopted() > 0; {
			require.True(t, time.Now().Before(deadline), "an adopted directory is never done")
			<-time.After(10 * time.Millisecond)
		}
		flush(t, s)
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
	})
	return store.texts()
}

// left writes three unfinished requests around two finished ones and dies.
func left(t *testing.T, c Config) (producer string) {
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom([]byte("a"))))
	require.NoError(t, s.Start(id(2), withHeadroom([]byte("b"))))
	require.NoError(t, s.End(id(2), withHeadroom([]byte("ended b"))))
	require.NoError(t, s.Start(id(3), withHeadroom([]byte("c"))))
	require.NoError(t, s.End(id(4), withHeadroom([]byte("ended d"))))
	require.NoError(t, s.Start(id(5), withHeadroom([]byte("e"))))
	crash(s)
	return s.own.producer
}

var wantLeft = []string{"aborted a", "aborted c", "aborted e", "ended b", "ended d"}

func TestUnfinishedRequestsBecomeRecords(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	producer := left(t, c)
	store := newLedger()
	require.Equal(t, wantLeft, shipAll(t, c, store))
	require.Equal(t, "ended d", store.rows[rowKey{producer, 2}])
	aborted := store.of(func(p string) bool { return p != producer })
	require.Equal(t, map[uint64]string{1: "aborted a", 2: "aborted c", 3: "aborted e"}, aborted)
	require.Empty(t, names(t, dir))
	require.Equal(t, wantLeft, shipAll(t, c, store), "there is nothing to do twice")
}

// Recovery may die after any byte of what it writes.
func TestRecoveryInterruptedWhileWriting(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	left(t, c)
	died := open(t, c)
	crash(died)
	all := segmentsOf(t, dir, died.own.producer)
	require.Len(t, all, 1)
	info, err := os.Stat(all[0])
	require.NoError(t, err)
	require.Positive(t, info.Size())
	for cut := int64(0); cut <= info.Size(); cut += 9 {
		c.Dir = copyTree(t, dir)
		require.NoError(t, os.Truncate(segmentsOf(t, c.Dir, died.own.producer)[0], cut))
		require.Equal(t, wantLeft, shipAll(t, c, newLedger()), "cut at %d", cut)
	}
}

// Recovery may also die after any file it deletes, when the store holds everything.
// Records of the same request may then arrive twice, but with the same content.
func TestRecoveryInterruptedWhileFreeing(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	c.SegmentBytes = 1
	producer := left(t, c)
	died := open(t, c)
	crash(died)
	full := copyTree(t, dir)
	store := newLedger()
	require.Equal(t, wantLeft, shipAll(t, c, store))
	for _, freed := range []string{producer, died.own.producer} {
		for n := range segmentsOf(t, full, freed) {
			c.Dir = copyTree(t, full)
			for _, path := range segmentsOf(t, c.Dir, freed)[:n+1] {
				require.NoError(t, os.Remove(path))
			}
			require.Equal(t, wantLeft, slices.Compact(shipAll(t, c, store)), "after %d files of %s", n+1, freed)
			require.Empty(t, names(t, c.Dir))
		}
	}
	for k, n := range store.count {
		require.Equal(t, 1, n, "%v was known to be committed", k)
	}
}

// The store would take a record with a known number for a duplicate. So a number is
// not assigned again, even if the files with the last ENDs were deleted or truncated.
func TestNumbersAreNeverGivenTwice(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	store := newLedger()
	var producer string
	synctest.Test(t, func(t *testing.T) {
		c := c
		c.SegmentBytes = 200
		mem := records.NewMemory()
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		write(t, s, 0, 20)
		require.NoError(t, s.Start(id(100), withHeadroom([]byte(strings.Repeat("long ", 40)))))
		flush(t, s)
		producer = s.own.producer
		require.Len(t, segmentsOf(t, dir, producer), 1)
		crash(s)
	})
	before := store.of(func(p string) bool { return p == producer })
	require.Len(t, before, 20)
	texts := shipAll(t, c, store)
	require.Len(t, texts, 21)
	require.Contains(t, texts[0], "aborted long")
	require.Equal(t, before, store.of(func(p string) bool { return p == producer }))
}

func TestTornTailOfADeadSpool(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	s := open(t, c)
	require.NoError(t, s.Start(id(1), withHeadroom([]byte("a"))))
	require.NoError(t, s.End(id(2), withHeadroom([]byte("whole"))))
	begin := s.own.segments[0].size
	require.NoError(t, s.End(id(1), withHeadroom([]byte("torn"))))
	end := s.own.segments[0].size
	crash(s)
	for cut := begin; cut < end; cut += 5 {
		c.Dir = copyTree(t, dir)
		require.NoError(t, os.Truncate(segmentsOf(t, c.Dir, s.own.producer)[0], cut))
		require.Equal(t, []string{"aborted a", "whole"}, shipAll(t, c, newLedger()), "cut at %d", cut)
		require.Empty(t, names(t, c.Dir), "a torn tail is not kept as damage")
	}
}

func TestTornTailOfTheLastSegmentIsLogged(t *testing.T) {
	dir := t.TempDir()
	c, log := logged(t, dir)
	s := open(t, c)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("whole"))))
	whole := s.own.segments[0].size
	require.NoError(t, s.End(id(2), withHeadroom([]byte("torn"))))
	crash(s)
	path := segmentsOf(t, dir, s.own.producer)[0]
	require.NoError(t, os.Truncate(path, whole+7))
	crash(open(t, c))
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"))
	require.Contains(t, log.String(), "bytes=7")

	log.Reset()
	require.NoError(t, os.Truncate(path, whole))
	crash(open(t, c))
	require.Empty(t, log.String())
}

// Only the last segment of a killed process can end in the middle of a frame.
func TestTornTailOfAnEarlierSegmentIsDamage(t *testing.T) {
	dir := t.TempDir()
	c, log := logged(t, dir)
	c.SegmentBytes = 1
	s := open(t, c)
	require.NoError(t, s.End(id(1), withHeadroom([]byte("torn"))))
	require.NoError(t, s.End(id(2), withHeadroom([]byte("whole"))))
	crash(s)
	path := segmentsOf(t, dir, s.own.producer)[0]
	require.NoError(t, os.Truncate(path, segment.HeaderBytes+2))
	require.Equal(t, []string{"whole"}, shipAll(t, c, newLedger()))
	require.Contains(t, log.String(), "spool segment is damaged")
	kept := filepath.Join(dir, quarantineDirName, s.own.producer+"-"+filepath.Base(path)+".bad")
	bad, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Len(t, bad, segment.HeaderBytes+2)
}

func TestDamageIsKeptAndTheRestShipped(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	s := open(t, c)
	texts := write(t, s, 0, 4)
	require.NoError(t, s.Start(id(9), withHeadroom([]byte("whole"))))
	texts = append(texts, write(t, s, 4, 5)...)
	marks := s.own.segments[0].ends
	crash(s)
	file := segmentsOf(t, dir, s.own.producer)[0]
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data[marks[1].offset] ^= 0xFF
	data[marks[4].offset] ^= 0xFF
	require.NoError(t, os.WriteFile(file, data, 0o600))

	store := newLedger()
	want := []string{"aborted ", "aborted ", "aborted whole", texts[0], texts[2], texts[3]}
	require.Equal(t, want, shipAll(t, c, store))
	own := store.of(func(p string) bool { return p == s.own.producer })
	require.Equal(t, map[uint64]string{1: texts[0], 3: texts[2], 4: texts[3]}, own)
	aborted := store.of(func(p string) bool { return p != s.own.producer })
	require.Equal(t, map[uint64]string{1: "aborted ", 2: "aborted whole", 3: "aborted "}, aborted, "without gaps")
	kept := names(t, dir)
	require.Equal(t, []string{filepath.Join("quarantine", s.own.producer+"-"+filepath.Base(file)+".bad")}, kept)
	bad, err := os.ReadFile(filepath.Join(dir, kept[0]))
	require.NoError(t, err)
	require.Contains(t, string(bad), texts[1])
	require.True(t, strings.HasSuffix(string(bad), texts[4]))
	require.Len(t, bad, 2*(segment.HeaderBytes+len(texts[1])))
}

func TestStartThatCannotBeRecoveredIsPutAside(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	left(t, c)
	usual := c.Recover
	c.Recover = func(start []byte) ([]byte, error) {
		if string(start) == "c" {
			return nil, errors.New("makes no sense")
		}
		return usual(start)
	}
	want := slices.DeleteFunc(slices.Clone(wantLeft), func(s string) bool { return s == "aborted c" })
	require.Equal(t, want, shipAll(t, c, newLedger()))
	kept := names(t, dir)
	require.Len(t, kept, 1)
	require.True(t, strings.HasSuffix(kept[0], ".start"))
	payload, err := os.ReadFile(filepath.Join(dir, kept[0]))
	require.NoError(t, err)
	require.Equal(t, "c", string(payload))
}

// The disk may be full when unfinished requests are found.
func TestUnfinishedRequestsAreEndedWhenTheDiskTakesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, mem, store := config(t, t.TempDir()), records.NewMemory(), newLedger()
		s := open(t, c)
		defer ship(t, s, mem, mem, store)()
		mend := fillDisk(t, s)
		left(t, c)
		<-time.After(2 * adoptInterval)
		require.Equal(t, 3, s.Stats().OpenRequests)
		require.Equal(t, []string{"ended b", "ended d"}, store.texts())
		require.Equal(t, 1, s.adopted(), "its STARTs are needed")

		mend()
		<-time.After(2 * adoptInterval)
		require.Equal(t, wantLeft, store.texts())
		require.Zero(t, s.Stats().OpenRequests)
		require.Zero(t, s.adopted())
	})
}

// Bodies may be dropped from a file whose STARTs are still open.
func TestUnfinishedRequestsAreEndedAfterTheirFileChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, mem, store := small(t, t.TempDir()), records.NewMemory(), newLedger()
		s := open(t, c)
		mend := fillDisk(t, s)
		dead := open(t, c)
		metas := writeWhole(t, dead, 0, 3)
		require.NoError(t, dead.Start(id(100), withHeadroom([]byte("late"))))
		crash(dead)
		<-time.After(2 * adoptInterval)
		j := s.listShippers()[2].adopted
		require.NoError(t, j.stripSegment(j.segments[0], s.stripBody, nil))
		mend()
		defer ship(t, s, mem, mem, store)()
		<-time.After(2 * adoptInterval)
		require.Equal(t, append([]string{"aborted late"}, metas...), store.texts())
	})
}

func TestStartWaitsForRoomInTheQuarantine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		left(t, c)
		box := filepath.Join(c.Dir, quarantineDirName)
		full := filepath.Join(box, "full")
		require.NoError(t, os.MkdirAll(box, 0o700))
		require.NoError(t, os.WriteFile(full, nil, 0o600))
		require.NoError(t, os.Truncate(full, maxQuarantineBytes))
		c.Recover = func([]byte) ([]byte, error) { return nil, errors.New("makes no sense") }
		s := open(t, c)
		<-time.After(5 * adoptInterval)
		require.Equal(t, 3, s.Stats().OpenRequests)
		require.NoError(t, os.Remove(full))
		<-time.After(2 * adoptInterval)
		synctest.Wait()
		require.Zero(t, s.Stats().OpenRequests)
		require.Equal(t, 3, strings.Count(log.String(), "cannot record aborted request"), "each is logged once")
		kept, err := os.ReadDir(box)
		require.NoError(t, err)
		require.Len(t, kept, 3)
	})
}

func TestLivingSpoolInheritsFromOneThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, mem, store := config(t, t.TempDir()), records.NewMemory(), newLedger()
		heir := open(t, c)
		defer ship(t, heir, mem, mem, store)()
		left(t, c)
		require.Empty(t, store.texts())
		<-time.After(2 * adoptInterval)
		require.Equal(t, wantLeft, store.texts())
		require.Zero(t, heir.adopted())
		require.Len(t, names(t, c.Dir), 2, "its own lock and segment")
	})
}

func TestTroubleWithADirectoryIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := logged(t, t.TempDir())
		producer := left(t, c)
		bad := filepath.Join(c.Dir, producer, segment.FormatName(9))
		require.NoError(t, os.Mkdir(bad, 0o700))
		store, mem := newLedger(), records.NewMemory()
		defer ship(t, open(t, c), mem, mem, store)()
		<-time.After(10 * adoptInterval)
		require.Equal(t, 1, strings.Count(log.String(), "cannot adopt spool directory"))
		require.NoError(t, os.Remove(bad))
		<-time.After(2 * adoptInterval)
		require.Equal(t, wantLeft, store.texts(), "it is not given up")
	})
}

func TestUnreadableDirectoryDoesNotHinderOthers(t *testing.T) {
	dir := t.TempDir()
	c := config(t, dir)
	broken := open(t, c)
	require.NoError(t, broken.Start(id(9), withHeadroom([]byte("its END may be in the next file"))))
	bad := broken.own.producer
	good := left(t, c)
	crash(broken)
	require.NoError(t, os.Mkdir(filepath.Join(dir, bad, segment.FormatName(9)), 0o700))
	s := open(t, c)
	require.Equal(t, 1, s.adopted())
	require.Equal(t, good, s.shippers[2].producer)
	require.NotEmpty(t, segmentsOf(t, dir, bad))
	require.Equal(t, uint64(3), s.Stats().Written, "the good one's")
}

func TestQuarantineIsBounded(t *testing.T) {
	q := quarantine{dir: filepath.Join(t.TempDir(), "q"), log: config(t, "").Log}
	fresh, err := q.storeFile("one", []byte("bytes"))
	require.NoError(t, err)
	require.True(t, fresh)
	fresh, err = q.storeFile("one", []byte("bytes"))
	require.NoError(t, err)
	require.False(t, fresh, "the same find again")
	require.NoError(t, os.Truncate(filepath.Join(q.dir, "one"), maxQuarantineBytes))
	_, err = q.storeFile("two", []byte("bytes"))
	require.ErrorContains(t, err, "full")
}
