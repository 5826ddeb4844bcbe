package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
)

func newAPIToken(t *testing.T, s account.Store, u access.User, at time.Time) apitoken.Token {
	t.Helper()
	one := apitoken.Token{
		ID: newID(), AccountID: u.AccountID, UserID: u.ID, Hash: []byte(newID()), Prefix: "sbx_token_abcd", Name: "ci",
		Scopes: []string{"read", "keys"}, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAPIToken(ctx, one) })
	return one
}

func apiTokensComeBack(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	u, other := newUser(t, s, a.ID, "a@example.com"), newUser(t, s, a.ID, "b@example.com")
	older, newer := newAPIToken(t, s, u, base), newAPIToken(t, s, u, base.Add(time.Second))
	theirs := newAPIToken(t, s, other, base.Add(time.Minute))
	id, got, err := s.APIToken(t.Context(), older.Hash)
	require.NoError(t, err)
	require.Equal(t, older, got)
	require.Equal(t, u, id.User)
	require.Equal(t, a.ID, id.Account.ID)
	requireAPITokens(t, s, u.AccountID, u.ID, base, newer, older)
	requireAPITokens(t, s, u.AccountID, "", base, theirs, newer, older)
	requireAPITokens(t, s, u.AccountID, u.ID, base.Add(time.Hour), newer)

	older.UsedAt = base.Add(time.Minute)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAPIToken(ctx, older) })
	_, got, err = s.APIToken(t.Context(), older.Hash)
	require.NoError(t, err)
	require.Equal(t, older, got)

	end := func(tx account.Tx) error { return tx.EndAPIToken(t.Context(), a.ID, newer.ID) }
	require.NoError(t, s.Write(t.Context(), end))
	require.ErrorIs(t, s.Write(t.Context(), end), access.ErrNoRow)
	write(t, s, func(ctx context.Context, tx account.Tx) error {
		return tx.EndStaleAPITokens(ctx, a.ID, older.ExpiresAt)
	})
	_, _, err = s.APIToken(t.Context(), older.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
	requireAPITokens(t, s, a.ID, "", base, theirs)
}

func requireAPITokens(t *testing.T, s account.Store, accountID, userID string, at time.Time, want ...apitoken.Token) {
	t.Helper()
	got, err := s.APITokens(t.Context(), accountID, userID, at)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func identitiesComeBack(t *testing.T, s account.Store) {
	u := newUser(t, s, newAccount(t, s).ID, "a@example.com")
	id := account.ExternalIdentity{Issuer: "https://login.example.com", Subject: "s1"}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveIdentity(ctx, id, u) })
	got, err := s.UserByIdentity(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, u, got)
	for _, other := range []account.ExternalIdentity{{Issuer: id.Issuer, Subject: "s2"}, {Issuer: "https://other.example.com", Subject: "s1"}} {
		_, err = s.UserByIdentity(t.Context(), other)
		require.ErrorIs(t, err, access.ErrNoRow)
	}
	token := newAPIToken(t, s, u, base)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.RemoveUser(ctx, u.AccountID, u.ID) })
	_, err = s.UserByIdentity(t.Context(), id)
	require.ErrorIs(t, err, access.ErrNoRow)
	_, _, err = s.APIToken(t.Context(), token.Hash)
	require.ErrorIs(t, err, access.ErrNoRow)
}
