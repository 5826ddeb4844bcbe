package record

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestParseSort(t *testing.T) {
	for _, c := range []struct {
		by, direction string
		want          Sort
	}{
		{"", "", Sort{}}, {"time", "", Sort{}}, {"time", "desc", Sort{}}, {"", "asc", Sort{Ascending: true}},
		{"cost", "", Sort{By: ByCost}}, {"cost", "desc", Sort{By: ByCost}}, {"ttft", "asc", Sort{By: ByTTFT, Ascending: true}},
	} {
		got, err := ParseSort(c.by, c.direction)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, bad := range [][2]string{{"model", ""}, {"costs", ""}, {"cost", "up"}, {"cost", "ASC"}} {
		_, err := ParseSort(bad[0], bad[1])
		require.True(t, apperr.Is(err, apperr.InvalidRequest), bad)
	}
}

// A cursor is valid only in the order of its page.
func TestSortedCursor(t *testing.T) {
	cost := int64(-5)
	r := &Record{ID: uuid.Must(uuid.NewV7()), Time: time.UnixMicro(1_800_000_000_123_456).UTC(), Cost: &cost, Latency: 7}
	orders := []Sort{{}, {Ascending: true}, {By: ByCost}, {By: ByCost, Ascending: true}, {By: ByLatency}}
	for i, s := range orders {
		text := s.CursorAfter(r).String()
		for k, other := range orders {
			got, err := other.ParseCursor(text)
			if i != k {
				require.True(t, apperr.Is(err, apperr.InvalidRequest), "%v %v", s, other)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, s.CursorAfter(r), got)
		}
	}
	require.EqualValues(t, -5, Sort{By: ByCost}.CursorAfter(r).Value)
	require.EqualValues(t, 7, Sort{By: ByLatency}.CursorAfter(r).Value)
}
