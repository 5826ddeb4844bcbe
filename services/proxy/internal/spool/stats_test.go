package spool

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func TestStatsTellWhatWaitsAndForHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, t.TempDir())
		dead := open(t, c)
		write(t, dead, 0, 3)
		require.NoError(t, dead.Start(id(9), withHeadroom(nil)))
		crash(dead)
		<-time.After(time.Hour)

		pub, store := &flaky{Memory: records.NewMemory(), lose: true}, newLedger()
		s := open(t, c)
		defer ship(t, s, pub, pub, store)()
		requireWaiting(t, s, 4, 0, "one was cut off")
		<-time.After(10 * time.Second)
		write(t, s, 10, 12)
		requireWaiting(t, s, 6, 10*time.Second, "since the adoption")
		pub.set(func() { pub.lose = false })
		<-time.After(10 * time.Minute)
		require.Len(t, store.texts(), 6)
		requireWaiting(t, s, 0, 0, "all is confirmed")
	})
}

func TestOldestWaitingIsTheFirstUnconfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(t, t.TempDir())
		c.SegmentBytes = 1
		s := open(t, c)
		for i := range 4 {
			write(t, s, i, i+1)
			<-time.After(time.Second)
		}
		requireWaiting(t, s, 4, 4*time.Second, "synced or not")
		own := s.shippers[0]
		own.addSettled(ranges(1, 1, 3, 3), nil)
		requireWaiting(t, s, 2, 3*time.Second, "the second")
		own.addSettled(nil, []uint64{2})
		requireWaiting(t, s, 1, time.Second, "the fourth: what is lost is not waited for")

		fillDisk(t, s)
		require.NoError(t, s.End(id(9), withHeadroom([]byte("in memory"))))
		<-time.After(time.Second)
		requireWaiting(t, s, 2, 2*time.Second, "memory counts")
		own.addSettled(ranges(4, 4), nil)
		requireWaiting(t, s, 1, time.Second, "memory alone")
	})
}

func requireWaiting(t *testing.T, s *Spool, n uint64, oldest time.Duration, why string) {
	t.Helper()
	st := s.Stats()
	require.Equal(t, n, st.Waiting, why)
	require.Equal(t, oldest, st.OldestWaiting, why)
}

func TestUnsettled(t *testing.T) {
	tests := []struct {
		name          string
		held, settled []records.Range
		n, first      uint64
	}{
		{"nothing held", nil, ranges(1, 9), 0, 0},
		{"nothing settled", ranges(1, 3, 5, 6), nil, 5, 1},
		{"all", ranges(1, 3, 5, 6), ranges(1, 6), 0, 0},
		{"the first ones", ranges(1, 5), ranges(1, 2), 3, 3},
		{"the last ones", ranges(1, 5), ranges(4, 9), 3, 1},
		{"in the middle", ranges(1, 9), ranges(2, 3, 5, 5), 6, 1},
		{"across a gap", ranges(1, 3, 7, 9), ranges(2, 7), 3, 1},
		{"freed before", ranges(7, 9), ranges(1, 5, 7, 7), 2, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, first := countUnsettled(tt.held, tt.settled)
			require.Equal(t, tt.n, n)
			require.Equal(t, tt.first, first)
		})
	}
}

// ranges makes a list of ranges from their first and last numbers.
func ranges(ends ...uint64) (out []records.Range) {
	for pair := range slices.Chunk(ends, 2) {
		out = append(out, records.Range{First: pair[0], Last: pair[1]})
	}
	return out
}
