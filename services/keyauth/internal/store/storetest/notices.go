package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
)

func queue(t *testing.T, s account.Store, accountID string, due time.Time) notice.Notice {
	t.Helper()
	n := notice.Notice{ID: newID(), AccountID: accountID, Body: `{"a":"b"}`, DueAt: due}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.QueueNotice(ctx, n) })
	return n
}

func take(t *testing.T, s account.Store, at time.Time, most int) (taken []notice.Notice) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx account.Tx) (err error) {
		taken, err = tx.TakeNotices(ctx, at, at.Add(time.Minute), most)
		return err
	})
	return taken
}

func noticesAreTaken(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	due, err := s.NoticeDue(t.Context(), base)
	require.NoError(t, err)
	require.False(t, due)
	first, second := queue(t, s, a.ID, base), queue(t, s, a.ID, base)
	theirs := queue(t, s, other.ID, base.Add(time.Second))
	for at, want := range map[time.Duration]bool{-time.Microsecond: false, 0: true} {
		due, err = s.NoticeDue(t.Context(), base.Add(at))
		require.NoError(t, err)
		require.Equal(t, want, due)
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error {
		n, err := tx.CountNotices(ctx, a.ID)
		require.Equal(t, 2, n)
		return err
	})

	at := base.Add(time.Second)
	lent := func(n notice.Notice) notice.Notice {
		n.Tries, n.DueAt = n.Tries+1, at.Add(time.Minute)
		return n
	}
	require.Equal(t, []notice.Notice{lent(theirs)}, take(t, s, at, 1), "an account with many notices does not delay one with few")
	require.Equal(t, []notice.Notice{lent(first)}, take(t, s, at, 10))
	require.Equal(t, []notice.Notice{lent(second)}, take(t, s, at, 10))
	require.Empty(t, take(t, s, at, 10))
	require.Len(t, take(t, s, at.Add(time.Minute), 10), 2, "one of each account when the time is over")
}

func noticesTakenByOthersAreKept(t *testing.T, s account.Store) {
	n := queue(t, s, newAccount(t, s).ID, base)
	mine := take(t, s, base, 1)[0]
	theirs := take(t, s, base.Add(time.Minute), 1)[0]
	require.Equal(t, n.ID, theirs.ID)
	require.ErrorIs(t, s.Write(t.Context(), func(tx account.Tx) error { return tx.DropNotice(t.Context(), mine) }), access.ErrNoRow)
	require.ErrorIs(t, s.Write(t.Context(), func(tx account.Tx) error {
		return tx.DelayNotice(t.Context(), mine, base)
	}), access.ErrNoRow)
	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return tx.DelayNotice(ctx, theirs, base.Add(time.Hour))
	})
	require.Empty(t, take(t, s, base.Add(59*time.Minute), 1))
	again := take(t, s, base.Add(time.Hour), 1)[0]
	require.Equal(t, 3, again.Tries)
	require.ErrorIs(t, s.Write(t.Context(), func(tx account.Tx) error {
		return tx.ReturnNotice(t.Context(), mine, base)
	}), access.ErrNoRow)
	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return tx.ReturnNotice(ctx, again, base.Add(time.Hour+time.Minute))
	})
	require.Empty(t, take(t, s, base.Add(time.Hour), 1))
	again = take(t, s, base.Add(time.Hour+time.Minute), 1)[0]
	require.Equal(t, 3, again.Tries, "the returned try does not count")
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.DropNotice(ctx, again) })
	due, err := s.NoticeDue(t.Context(), base.Add(24*time.Hour))
	require.NoError(t, err)
	require.False(t, due)
}
