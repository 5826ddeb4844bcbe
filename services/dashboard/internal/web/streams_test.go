package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

func TestFollowersAreCountedByTheirFilters(t *testing.T) {
	var s streams
	first, err := s.enter("a", streamFilters)
	require.NoError(t, err)
	second, err := s.enter("a", streamFilters)
	require.NoError(t, err)
	_, err = s.enter("a", 1)
	require.Equal(t, apperr.ConcurrencyLimitExceeded, apperr.CodeOf(err))
	other, err := s.enter("b", streamFilters)
	require.NoError(t, err, "one account does not keep another out")

	first()
	_, err = s.enter("a", streamFilters+1)
	require.Error(t, err)
	again, err := s.enter("a", 1)
	require.NoError(t, err)
	for _, leave := range []func(){second, other, again} {
		leave()
	}
	require.Zero(t, s.all)
	require.Empty(t, s.of)
	for n := range maxFollowed / accountFollowed {
		_, err = s.enter(string(rune('A'+n)), accountFollowed)
		require.NoError(t, err)
	}
	_, err = s.enter("late", accountFollowed)
	require.Error(t, err, "and all of them together have an end")
}
