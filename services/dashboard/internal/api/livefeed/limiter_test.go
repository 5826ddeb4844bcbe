package livefeed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestStreamLimiterCountsFilters(t *testing.T) {
	var s streamLimiter
	first, err := s.acquire("a", maxFiltersPerStream)
	require.NoError(t, err)
	second, err := s.acquire("a", maxFiltersPerStream)
	require.NoError(t, err)
	_, err = s.acquire("a", 1)
	require.Equal(t, apperr.ConcurrencyLimitExceeded, apperr.CodeOf(err))
	other, err := s.acquire("b", maxFiltersPerStream)
	require.NoError(t, err, "one account does not keep another out")

	first()
	_, err = s.acquire("a", maxFiltersPerStream+1)
	require.Error(t, err)
	again, err := s.acquire("a", 1)
	require.NoError(t, err)
	for _, leave := range []func(){second, other, again} {
		leave()
	}
	require.Zero(t, s.total)
	require.Empty(t, s.byAccount)
	for n := range maxOpenFilters / maxAccountFilters {
		_, err = s.acquire(string(rune('A'+n)), maxAccountFilters)
		require.NoError(t, err)
	}
	_, err = s.acquire("late", maxAccountFilters)
	require.Error(t, err, "and all of them together have an end")
}
