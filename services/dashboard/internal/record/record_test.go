package record

import (
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func nano(n int64) *int64 { return &n }

func TestSaved(t *testing.T) {
	require.EqualValues(t, 5, *(&Record{Cost: nano(2), BaselineCost: nano(7)}).Saved())
	require.EqualValues(t, -5, *(&Record{Cost: nano(7), BaselineCost: nano(2)}).Saved())
	require.Nil(t, (&Record{BaselineCost: nano(7)}).Saved())
	require.Nil(t, (&Record{Cost: nano(7)}).Saved())
	require.EqualValues(t, math.MaxInt64, *(&Record{Cost: nano(-7), BaselineCost: nano(math.MaxInt64)}).Saved())
}

func TestDayOfID(t *testing.T) {
	id := uuid.Must(uuid.NewV7())
	sec, _ := id.Time().UnixTime()
	require.Equal(t, sec/(24*60*60), DayOfID(id))
}

func TestParseIDAcceptsOneForm(t *testing.T) {
	id := uuid.Must(uuid.NewV7())
	got, ok := ParseID(id.String())
	require.True(t, ok)
	require.Equal(t, id, got)
	for _, text := range []string{"", "x", "{" + id.String() + "}", "urn:uuid:" + id.String()} {
		_, ok := ParseID(text)
		require.False(t, ok, text)
	}
}

func TestCursor(t *testing.T) {
	r := &Record{ID: uuid.Must(uuid.NewV7()), Time: time.UnixMicro(1_800_000_000_123_456).UTC()}
	text := CursorAfter(r).String()
	got, err := ParseCursor(text)
	require.NoError(t, err)
	require.Equal(t, &Cursor{Time: r.Time, ID: r.ID}, got)
	start, err := ParseCursor("")
	require.NoError(t, err)
	require.Nil(t, start)
	for _, bad := range []string{"A" + text, text + "A", text[1:], text + "=", "\n" + text, "B" + text[1:]} {
		_, err := ParseCursor(bad)
		require.True(t, apperr.Is(err, apperr.InvalidRequest), bad)
	}
}

func TestToNanoUSD(t *testing.T) {
	require.EqualValues(t, 1_500_000_000, ToNanoUSD(1, 500_000_000))
	require.EqualValues(t, -500_000_000, ToNanoUSD(-1, 500_000_000))
	require.EqualValues(t, 7_000_000_001, ToNanoUSD(2, 5_000_000_001))
	require.EqualValues(t, math.MaxInt64, ToNanoUSD(math.MaxInt64/1_000_000_000, 854_775_807))
	require.EqualValues(t, math.MaxInt64-1, ToNanoUSD(math.MaxInt64/1_000_000_000+1, 854_775_806-1_000_000_000))
	require.EqualValues(t, math.MinInt64+1, ToNanoUSD(math.MinInt64/1_000_000_000-1, 1_000_000_000-854_775_807))
	require.EqualValues(t, math.MaxInt64, ToNanoUSD(math.MaxInt64/1_000_000_000+1, 0))
	require.EqualValues(t, math.MinInt64, ToNanoUSD(math.MinInt64/1_000_000_000-1, 0))
}
