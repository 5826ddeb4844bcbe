package records_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/records/recordstest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	recordstest.Run(t, func(*testing.T) (records.Publisher, records.Source) {
		m := records.NewMemory()
		return m, m
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := records.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		published := 0
		go func() {
			for {
				err := m.Publish(ctx, []records.Entry{{Producer: "a", Seq: uint64(published + 1)}})
				if err != nil {
					ended <- err
					return
				}
				published++
			}
		}()
		synctest.Wait()
		full := published
		require.Positive(t, full)
		b, err := m.Next(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, b.Entries[0].Seq)
		require.GreaterOrEqual(t, len(b.Entries), full, "what waits comes together")
		synctest.Wait()
		require.Equal(t, full+len(b.Entries), published, "room for as many again")
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// The caller may change the result.
func TestCommittedIsACopy(t *testing.T) {
	m := records.NewMemory()
	require.NoError(t, m.Publish(t.Context(), []records.Entry{{Producer: "a", Seq: 1}}))
	b, err := m.Next(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Ack(t.Context(), map[string][]records.Range{"a": {{First: 1, Last: 1}}}))
	got, err := m.CommittedRanges(t.Context(), "a")
	require.NoError(t, err)
	got[0] = records.Range{First: 1, Last: 99}
	got, err = m.CommittedRanges(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, []records.Range{{First: 1, Last: 1}}, got)
}

func TestMerge(t *testing.T) {
	const top = uint64(math.MaxUint64)
	type rs = []records.Range
	tests := []struct {
		name       string
		give, want rs
	}{
		{"none", nil, nil},
		{"apart", rs{{5, 6}, {1, 3}}, rs{{1, 3}, {5, 6}}},
		{"adjacent", rs{{4, 6}, {1, 3}}, rs{{1, 6}}},
		{"overlapping", rs{{1, 5}, {3, 9}}, rs{{1, 9}}},
		{"inside", rs{{1, 9}, {3, 5}}, rs{{1, 9}}},
		{"equal", rs{{2, 2}, {2, 2}}, rs{{2, 2}}},
		{"backwards", rs{{5, 3}, {1, 1}}, rs{{1, 1}}},
		{"up to the last number", rs{{7, top}, {9, 10}, {1, 5}}, rs{{1, 5}, {7, top}}},
		{"from the first", rs{{0, 0}, {1, 1}}, rs{{0, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			given := append(rs(nil), tt.give...)
			require.Equal(t, tt.want, records.MergeRanges(tt.give))
			require.Equal(t, given, tt.give, "the argument is not changed")
		})
	}
}

// MergeRanges and CoversRange agree with plain sets of numbers.
func TestMergeAndCoversAreSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var ranges []records.Range
		var set [40]bool
		for range r.IntN(8) {
			first := r.Uint64N(30)
			last := first + r.Uint64N(8)
			ranges = append(ranges, records.Range{First: first, Last: last})
			for i := first; i <= last; i++ {
				set[i] = true
			}
		}
		merged := records.MergeRanges(ranges)
		requireSame(t, set[:], merged)
		require.Equal(t, merged, records.MergeRanges(merged), "once is enough")

		want := records.Range{First: r.Uint64N(40)}
		want.Last = want.First + r.Uint64N(40-want.First)
		all := true
		for i := want.First; i <= want.Last; i++ {
			all = all && set[i]
		}
		require.Equal(t, all, records.CoversRange(ranges, want), "%v in %v", want, ranges)
	}
	require.True(t, records.CoversRange(nil, records.Range{First: 2, Last: 1}), "nothing is always covered")
}

// requireSame checks that merged holds exactly set, sorted and with gaps.
func requireSame(t *testing.T, set []bool, merged []records.Range) {
	t.Helper()
	got := make([]bool, len(set))
	for i, m := range merged {
		require.LessOrEqual(t, m.First, m.Last)
		if i > 0 {
			require.Greater(t, m.First, merged[i-1].Last+1, "neither touching nor out of order")
		}
		for n := m.First; n <= m.Last; n++ {
			got[n] = true
		}
	}
	require.Equal(t, set, got)
}
