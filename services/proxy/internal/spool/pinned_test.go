package spool

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// longRequest begins a request and then fills the spool several times with others,
// each of which the store commits at once.
func longRequest(t *testing.T, s *Spool) (metas []string) {
	t.Helper()
	require.NoError(t, s.Start(id(1_000_000), withHeadroom([]byte("the long one"))))
	for n := range 30 {
		metas = append(metas, writeWhole(t, s, 20*n, 20*n+20)...)
		flush(t, s)
		<-time.After(time.Second)
		require.LessOrEqual(t, s.Stats().Bytes, int64(30_000), "one request keeps none of what came after it")
	}
	return metas
}

func TestALongRequestDoesNotFillTheSpool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newLedger()
		s := open(t, small(t, t.TempDir()))
		go func() { _ = s.Ship(t.Context(), direct{store}) }()
		metas := longRequest(t, s)
		require.Zero(t, bare(t, metas, store.texts()))
		require.Zero(t, s.Stats().DroppedBodies)
		require.Equal(t, 1, s.Stats().OpenRequests)
		require.NoError(t, s.End(id(1_000_000), withHeadroom([]byte("zz ended"))))
		flush(t, s)
		require.Zero(t, s.Stats().OpenRequests)
		require.Equal(t, "zz ended", store.texts()[len(metas)])
		require.NoError(t, s.Close())
		require.Empty(t, names(t, s.capacity.dir))
	})
}

func TestALongRequestIsRecordedWhenItsProcessDies(t *testing.T) {
	c, store := small(t, t.TempDir()), newLedger()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, c)
		go func() { _ = s.Ship(t.Context(), direct{store}) }()
		longRequest(t, s)
		crash(s)
	})
	texts := shipAll(t, c, store)
	require.Len(t, texts, 601)
	require.Equal(t, "aborted the long one", texts[0])
}

// A crash between the two writes leaves the START twice.
func TestAStartThatIsThereTwiceIsOne(t *testing.T) {
	for name, end := range map[string]bool{"ended": true, "cut off": false} {
		t.Run(name, func(t *testing.T) {
			c := config(t, t.TempDir())
			c.SegmentBytes = 1
			s := open(t, c)
			for range 2 {
				require.NoError(t, s.Start(id(1), withHeadroom([]byte("start"))))
			}
			want := "aborted start"
			if end {
				want = "end"
				require.NoError(t, s.End(id(1), withHeadroom([]byte(want))))
			}
			crash(s)
			require.Equal(t, []string{want}, shipAll(t, c, newLedger()))
			require.Empty(t, names(t, c.Dir))
		})
	}
}

func TestOneUnreadableSegmentDoesNotKeepTheOthersBodies(t *testing.T) {
	c := small(t, t.TempDir())
	s := open(t, c)
	s.cancel() // stops the background loops, so that only the test reclaims
	s.loops.Wait()
	writeWhole(t, s, 0, 80)
	require.NoError(t, s.own.sync())
	first := segmentsOf(t, c.Dir, s.own.producer)[0]
	require.NoError(t, os.Rename(first, first+".away"))
	require.NoError(t, os.Mkdir(first, 0o700))
	s.ctx = t.Context()
	err := s.reclaimSpace()
	require.True(t, errors.Is(err, errUnreadable), err)
	require.Positive(t, s.Stats().DroppedBodies)
	require.Equal(t, Normal, s.Stats().Level)
	require.NoError(t, s.reclaimSpace(), "it is told once")
}
