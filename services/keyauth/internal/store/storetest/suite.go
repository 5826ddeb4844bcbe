// Package storetest tests implementations of account.Store. Every implementation must
// pass Run. The tests check behaviour, not SQL. Only tests import the package.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// Run tests the stores that open returns. Each call of open must return an empty store
// and close this store when the test ends.
func Run(t *testing.T, open func(t *testing.T) account.Store) {
	cases := []struct {
		name string
		test func(t *testing.T, s account.Store)
	}{
		{"an account comes back as it was saved", accountComesBack},
		{"there is one operator", oneOperator},
		{"a user comes back as it was saved", userComesBack},
		{"an e-mail is taken once", emailTakenOnce},
		{"a session comes back until it ends", sessionComesBack},
		{"stale sessions end", staleSessionsEnd},
		{"an invite is spent once", inviteSpentOnce},
		{"stale invites end", staleInvitesEnd},
		{"accounts are listed in pages", accountsInPages},
		{"users come and go", usersComeAndGo},
		{"a user has one reset", oneResetEach},
		{"sessions end together", sessionsEndTogether},
		{"API tokens come back until they end", apiTokensComeBack},
		{"identities come back until the user is removed", identitiesComeBack},
		{"events are stored by account", eventsComeBack},
		{"events are filtered", eventsAreFiltered},
		{"the change log is pruned", changesArePruned},
		{"the newest use is stored", usesAreTheNewest},
		{"many uses are stored", manyUses},
		{"sums come back as they were saved", sumsComeBack},
		{"many sums are stored", manySums},
		{"old sums are pruned", oldSumsArePruned},
		{"budget spend is listed by version", spentByVersion},
		{"group budgets come back as they were saved", budgetsComeBack},
		{"group spend is listed by version", groupSpendByVersion},
		{"credentials of many keys come back", credentialsComeBack},
		{"one notice of each account is taken", noticesAreTaken},
		{"a notice that another instance took stays unchanged", noticesTakenByOthersAreKept},
		{"a key comes back as it was saved", keyComesBack},
		{"playground keys are not listed", playgroundKeysAreApart},
		{"keys are listed newest first", keysNewestFirst},
		{"keys that have ended are listed up to a number", endedKeysAreBounded},
		{"ids belong to one account", idsBelongToOneAccount},
		{"writes of an account leave other accounts unchanged", neighboursKeepTheirRows},
		{"a failed write leaves nothing", failedWriteLeavesNothing},
		{"every change has the next version", everyChangeIsLogged},
		{"versions appear in order", versionsAppearInOrder},
		{"data that a write reads does not change", readsStayTrue},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// base is an arbitrary time with the precision of a store.
var base = time.Date(2026, 3, 4, 5, 6, 7, 891234000, time.UTC)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func write(t *testing.T, s account.Store, f func(ctx context.Context, tx account.Tx) error) {
	t.Helper()
	require.NoError(t, s.Write(t.Context(), func(tx account.Tx) error { return f(t.Context(), tx) }))
}

func newAccount(t *testing.T, s account.Store) access.Account {
	t.Helper()
	a := access.Account{ID: newID(), Name: "plain", CreatedAt: base}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	return a
}

func newUser(t *testing.T, s account.Store, accountID, email string) access.User {
	t.Helper()
	u := access.User{
		ID: newID(), AccountID: accountID, Email: email, Role: access.Member, PasswordHash: "hash", CreatedAt: base,
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveUser(ctx, u) })
	return u
}

func newSession(t *testing.T, s account.Store, u access.User, at time.Time) access.Session {
	t.Helper()
	one := access.Session{
		ID: newID(), AccountID: u.AccountID, UserID: u.ID, Hash: []byte(newID()), CreatedAt: at, SeenAt: at, Client: "browser", Issuer: "https://login.example.com",
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveSession(ctx, one) })
	return one
}

func newKey(t *testing.T, s account.Store, accountID string, at time.Time) keyring.Key {
	t.Helper()
	k := keyring.Key{
		ID: newID(), AccountID: accountID, MAC: []byte(newID()), Prefix: "sbx_live_abcd",
		Settings: setting.Key{Name: "plain"}, CreatedAt: at,
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	return k
}

func failedWriteLeavesNothing(t *testing.T, s account.Store) {
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	a, boom := access.Account{ID: newID(), Name: "gone", CreatedAt: base}, errors.New("boom")
	err = s.Write(t.Context(), func(tx account.Tx) error {
		require.NoError(t, tx.SaveAccount(t.Context(), a))
		return boom
	})
	require.ErrorIs(t, err, boom)
	_, err = s.Account(t.Context(), a.ID)
	require.ErrorIs(t, err, access.ErrNoRow)
	after, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, after)
}
