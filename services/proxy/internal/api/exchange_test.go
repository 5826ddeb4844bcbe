package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnIDIsOfItsRecordsMoment: also a nanosecond before midnight.
func TestAnIDIsOfItsRecordsMoment(t *testing.T) {
	at := time.Date(2026, 11, 14, 23, 59, 59, 999_999_999, time.UTC)
	id := idAt(at)
	sec, nsec := id.Time().UnixTime()
	require.Equal(t, at.Truncate(time.Millisecond), time.Unix(sec, nsec).UTC())
	require.EqualValues(t, 7, id.Version())
	require.NotEqual(t, id, idAt(at))
}
