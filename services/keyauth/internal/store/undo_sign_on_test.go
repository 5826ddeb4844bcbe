package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// An older version would take a session of a sign-on for one of a password, which lives longer.
func TestADowngradeEndsSessionsOfSignOns(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		s, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		at := time.UnixMicro(1)
		a := access.Account{ID: uuid.NewString(), Name: "a", CreatedAt: at}
		u := access.User{ID: uuid.NewString(), AccountID: a.ID, Email: "ann@example.com", Role: access.Owner, CreatedAt: at}
		require.NoError(t, s.Write(t.Context(), func(tx account.Tx) error {
			if err := tx.SaveAccount(t.Context(), a); err != nil {
				return err
			}
			if err := tx.SaveUser(t.Context(), u); err != nil {
				return err
			}
			for _, issuer := range []string{"", "https://login.example.com"} {
				one := access.Session{ID: uuid.NewString(), AccountID: a.ID, UserID: u.ID, Hash: []byte("h" + issuer), CreatedAt: at, SeenAt: at, Issuer: issuer}
				if err := tx.SaveSession(t.Context(), one); err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, s.Close())

		o, err := store.Options()
		require.NoError(t, err)
		taken, err := sqldb.Undo(t.Context(), url, o, 4)
		require.NoError(t, err)
		require.Contains(t, taken[len(taken)-1].Deletes, "sessions of people who sign in")
		left, err := open(t, url).Sessions(t.Context(), a.ID, u.ID)
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, []byte("h"), left[0].Hash)
	})
}

// An older keyauth that still runs can remove a user who has tokens and identities.
func TestAnOlderVersionRemovesAUserWithTokens(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		s := open(t, url)
		at := time.UnixMicro(1)
		a := access.Account{ID: uuid.NewString(), Name: "a", CreatedAt: at}
		u := access.User{ID: uuid.NewString(), AccountID: a.ID, Email: "ann@example.com", Role: access.Owner, CreatedAt: at}
		token := apitoken.Token{ID: uuid.NewString(), AccountID: a.ID, UserID: u.ID, Hash: []byte("h"), Name: "ci", CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
		require.NoError(t, s.Write(t.Context(), func(tx account.Tx) error {
			return errors.Join(tx.SaveAccount(t.Context(), a), tx.SaveUser(t.Context(), u), tx.SaveAPIToken(t.Context(), token),
				tx.SaveIdentity(t.Context(), account.ExternalIdentity{Issuer: "https://login.example.com", Subject: "s1"}, u))
		}))
		require.NoError(t, s.DeleteUserRow(t.Context(), u))
		left, err := s.APITokens(t.Context(), a.ID, "", at)
		require.NoError(t, err)
		require.Empty(t, left)
		has, err := s.HasIdentity(t.Context(), a.ID, u.ID)
		require.NoError(t, err)
		require.False(t, has)
	})
}
