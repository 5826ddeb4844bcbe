package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func accountComesBack(t *testing.T, s account.Store) {
	a := access.Account{
		ID: newID(), Name: "Gr\u00fc\u00dfe", BaselineModel: "large", Capture: setting.CaptureRedacted,
		ContentDays: 30, CreatedAt: base, WebhookURL: "https://example.com/hook", WebhookSecret: []byte{1, 0, 2},
		AllowExperiments: true,
		Limits: setting.Limits{
			RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5,
		},
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	requireAccount(t, s, a)

	a.Name, a.BaselineModel, a.Capture, a.ContentDays = "New", "small", setting.CaptureNone, 0
	a.Limits, a.WebhookURL, a.WebhookSecret = setting.Limits{NanoUSDPerMonth: 9}, "", []byte("other")
	a.AllowExperiments = false
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	requireAccount(t, s, a)
}

func requireAccount(t *testing.T, s account.Store, want access.Account) {
	t.Helper()
	got, err := s.Account(t.Context(), want.ID)
	require.NoError(t, err)
	if len(got.ClaimHash) == 0 {
		got.ClaimHash = nil
	}
	require.Equal(t, want, got)
}

func oneOperator(t *testing.T, s account.Store) {
	newAccount(t, s)
	_, err := s.Operator(t.Context())
	require.ErrorIs(t, err, access.ErrNoRow)

	a := access.Account{ID: newID(), Name: "Operator", Operator: true, CreatedAt: base, ClaimHash: []byte("claim")}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	got, err := s.Operator(t.Context())
	require.NoError(t, err)
	require.Equal(t, a, got)
	require.True(t, got.IsUnclaimed())

	a.ClaimHash = nil
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	got, err = s.Operator(t.Context())
	require.NoError(t, err)
	require.False(t, got.IsUnclaimed())

	second := access.Account{ID: newID(), Name: "Second", Operator: true, CreatedAt: base}
	require.Error(t, s.Write(t.Context(), func(tx account.Tx) error { return tx.SaveAccount(t.Context(), second) }))
}

func userComesBack(t *testing.T, s account.Store) {
	u := newUser(t, s, newAccount(t, s).ID, "a@example.com")
	got, err := s.User(t.Context(), u.AccountID, u.ID)
	require.NoError(t, err)
	require.Equal(t, u, got)
	got, err = s.UserByEmail(t.Context(), u.Email)
	require.NoError(t, err)
	require.Equal(t, u, got)
	_, err = s.UserByEmail(t.Context(), "b@example.com")
	require.ErrorIs(t, err, access.ErrNoRow)
}

func emailTakenOnce(t *testing.T, s account.Store) {
	u := newUser(t, s, newAccount(t, s).ID, "a@example.com")
	other := access.Account{ID: newID(), Name: "other", CreatedAt: base}
	err := s.Write(t.Context(), func(tx account.Tx) error {
		return errors.Join(
			tx.SaveAccount(t.Context(), other),
			tx.SaveUser(t.Context(), access.User{ID: newID(), AccountID: other.ID, Email: u.Email, Role: access.Owner, CreatedAt: base}))
	})
	require.ErrorIs(t, err, access.ErrEmailTaken)
	_, err = s.Account(t.Context(), other.ID)
	require.ErrorIs(t, err, access.ErrNoRow, "all or nothing")
}

func sessionComesBack(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	u := newUser(t, s, a.ID, "a@example.com")
	older, newer := newSession(t, s, u, base), newSession(t, s, u, base.Add(time.Second))
	list, err := s.Sessions(t.Context(), a.ID, u.ID)
	require.NoError(t, err)
	require.Equal(t, []access.Session{newer, older}, list)

	older.SeenAt = base.Add(time.Hour)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveSession(ctx, older) })
	id, err := s.Session(t.Context(), older.Hash)
	require.NoError(t, err)
	require.Equal(t, older, id.Session)
	require.Equal(t, u, id.User)
	require.Equal(t, a.ID, id.Account.ID)

	end := func(tx account.Tx) error { return tx.EndSession(t.Context(), a.ID, u.ID, older.ID) }
	require.NoError(t, s.Write(t.Context(), end))
	_, err = s.Session(t.Context(), older.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
	require.ErrorIs(t, s.Write(t.Context(), end), access.ErrNoRow)
}

func staleSessionsEnd(t *testing.T, s account.Store) {
	u := newUser(t, s, newAccount(t, s).ID, "a@example.com")
	old := newSession(t, s, u, base)
	idle := newSession(t, s, u, base.Add(24*time.Hour))
	fresh := newSession(t, s, u, base.Add(48*time.Hour))
	old.SeenAt = base.Add(48 * time.Hour)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveSession(ctx, old) })

	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return tx.EndStaleSessions(ctx, idle.SeenAt.Add(time.Microsecond), old.CreatedAt.Add(time.Microsecond))
	})
	list, err := s.Sessions(t.Context(), u.AccountID, u.ID)
	require.NoError(t, err)
	require.Equal(t, []access.Session{fresh}, list)
}

func inviteSpentOnce(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	joins := account.Invite{ID: newID(), Hash: []byte("one"), AccountID: a.ID, Role: access.Viewer, UserID: "u", CreatedAt: base, ExpiresAt: base.Add(time.Hour)}
	makes := account.Invite{ID: newID(), Hash: []byte("two"), AccountID: a.ID, NewAccount: true, Role: access.Owner, CreatedAt: base.Add(time.Second), ExpiresAt: base.Add(2 * time.Hour)}
	for _, i := range []account.Invite{joins, makes} {
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveInvite(ctx, i) })
		got, err := s.Invite(t.Context(), i.Hash)
		require.NoError(t, err)
		require.Equal(t, i, got)
	}
	requireInvites(t, s, a.ID, base, makes, joins)
	requireInvites(t, s, a.ID, base.Add(time.Hour), makes)
	requireInvites(t, s, other.ID, base)

	end := func(accountID string) error {
		return s.Write(t.Context(), func(tx account.Tx) error { return tx.EndInvite(t.Context(), accountID, joins.ID) })
	}
	require.ErrorIs(t, end(other.ID), access.ErrNoRow)
	require.NoError(t, end(a.ID))
	require.ErrorIs(t, end(a.ID), access.ErrNoRow)
	_, err := s.Invite(t.Context(), joins.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
	requireInvites(t, s, a.ID, base, makes)
}

func requireInvites(t *testing.T, s account.Store, accountID string, at time.Time, want ...account.Invite) {
	t.Helper()
	got, err := s.Invites(t.Context(), accountID, at)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func staleInvitesEnd(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	add := func(accountID string, life time.Duration) account.Invite {
		i := account.Invite{ID: newID(), Hash: []byte(newID()), AccountID: accountID, Role: access.Viewer, CreatedAt: base, ExpiresAt: base.Add(life)}
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveInvite(ctx, i) })
		return i
	}
	short, long, theirs := add(a.ID, time.Minute), add(a.ID, time.Hour), add(other.ID, time.Minute)

	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return tx.EndStaleInvites(ctx, a.ID, base.Add(time.Minute))
	})
	_, err := s.Invite(t.Context(), short.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
	requireInvites(t, s, a.ID, base, long)
	requireInvites(t, s, other.ID, base, theirs)
}
