package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

func accountsInPages(t *testing.T, s account.Store) {
	var all []access.Account
	for range 3 {
		all = append(all, newAccount(t, s)) // ids grow with time
	}
	page, err := s.Accounts(t.Context(), "", 2)
	require.NoError(t, err)
	require.Equal(t, ids(all[:2]), ids(page))
	page, err = s.Accounts(t.Context(), page[1].ID, 2)
	require.NoError(t, err)
	require.Equal(t, ids(all[2:]), ids(page))
	page, err = s.Accounts(t.Context(), page[0].ID, 2)
	require.NoError(t, err)
	require.Empty(t, page)
}

func ids(all []access.Account) []string {
	var out []string
	for _, a := range all {
		out = append(out, a.ID)
	}
	return out
}

func usersComeAndGo(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	first, second := newUser(t, s, a.ID, "a@example.com"), newUser(t, s, a.ID, "b@example.com")
	theirs := newUser(t, s, other.ID, "c@example.com")
	users, err := s.Users(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, []access.User{first, second}, users)

	mine, kept := newSession(t, s, first, base), newSession(t, s, second, base)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveReset(ctx, resetOf(first, "r")) })
	remove := func(accountID, id string) error {
		return s.Write(t.Context(), func(tx account.Tx) error { return tx.RemoveUser(t.Context(), accountID, id) })
	}
	require.ErrorIs(t, remove(a.ID, theirs.ID), access.ErrNoRow)
	require.NoError(t, remove(a.ID, first.ID))
	require.ErrorIs(t, remove(a.ID, first.ID), access.ErrNoRow)
	_, err = s.Session(t.Context(), mine.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
	_, err = s.Reset(t.Context(), []byte("r"))
	require.ErrorIs(t, err, access.ErrNoRow)
	_, err = s.Session(t.Context(), kept.Hash)
	require.NoError(t, err)
	users, err = s.Users(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, []access.User{second}, users)
	newUser(t, s, other.ID, "a@example.com")
}

func resetOf(u access.User, hash string) account.Reset {
	return account.Reset{Hash: []byte(hash), AccountID: u.AccountID, UserID: u.ID, ExpiresAt: base.Add(time.Hour)}
}

func oneResetEach(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	u, other := newUser(t, s, a.ID, "a@example.com"), newUser(t, s, a.ID, "b@example.com")
	for _, r := range []account.Reset{resetOf(u, "old"), resetOf(other, "theirs"), resetOf(u, "new")} {
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveReset(ctx, r) })
		got, err := s.Reset(t.Context(), r.Hash)
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	_, err := s.Reset(t.Context(), []byte("old"))
	require.ErrorIs(t, err, access.ErrNoRow, "the new one replaced it")
	for range 2 {
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.DeleteReset(ctx, a.ID, u.ID) })
	}
	_, err = s.Reset(t.Context(), []byte("new"))
	require.ErrorIs(t, err, access.ErrNoRow)
	_, err = s.Reset(t.Context(), []byte("theirs"))
	require.NoError(t, err)
}

func sessionsEndTogether(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	u, other := newUser(t, s, a.ID, "a@example.com"), newUser(t, s, a.ID, "b@example.com")
	newSession(t, s, u, base)
	stays, theirs := newSession(t, s, u, base.Add(time.Second)), newSession(t, s, other, base)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.EndSessions(ctx, a.ID, u.ID, stays.ID) })
	list, err := s.Sessions(t.Context(), a.ID, "")
	require.NoError(t, err)
	require.Equal(t, []access.Session{stays, theirs}, list)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.EndSessions(ctx, a.ID, u.ID, "") })
	list, err = s.Sessions(t.Context(), a.ID, u.ID)
	require.NoError(t, err)
	require.Empty(t, list)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.EndSession(ctx, a.ID, "", theirs.ID) })
	list, err = s.Sessions(t.Context(), a.ID, "")
	require.NoError(t, err)
	require.Empty(t, list)
}
