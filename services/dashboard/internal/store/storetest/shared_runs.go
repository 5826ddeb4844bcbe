package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/sharedrun"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// sharedRuns: a run comes back in its account only, until it is too old or replaced.
func sharedRuns(t *testing.T, s *store.Store) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	share := func(id, account string, created time.Time) sharedrun.Run {
		r := sharedrun.Run{ID: id, AccountID: account, Author: "a@example.com", Created: created, Content: `{"body":{}}`}
		require.NoError(t, s.ShareRun(t.Context(), r))
		return r
	}
	requireGone := func(account, id string) {
		_, err := s.SharedRun(t.Context(), account, id)
		require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	}
	r := share("one", "acc", now)
	got, err := s.SharedRun(t.Context(), "acc", "one")
	require.NoError(t, err)
	require.Equal(t, r, got)
	requireGone("other", "one")
	requireGone("acc", "two")

	share("old", "acc", now.Add(-sharedrun.Lifetime))
	requireGone("acc", "old")
	share("first", "many", now.Add(-time.Hour))
	for n := range sharedrun.MaxPerAccount {
		share(fmt.Sprint("many-", n), "many", now)
	}
	requireGone("many", "first")
	_, err = s.SharedRun(t.Context(), "many", "many-0")
	require.NoError(t, err)
	_, err = s.SharedRun(t.Context(), "acc", "one")
	require.NoError(t, err, "other accounts keep theirs")
}
