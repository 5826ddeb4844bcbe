package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func keyComesBack(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	k := keyring.Key{
		ID: newID(), AccountID: a.ID, MAC: []byte("mac"), Prefix: "sbx_live_abcd", CreatedAt: base,
		Settings: setting.Key{
			Name: "full", Scopes: []string{"chat"}, Models: []string{"auto", `a"b`}, Tags: []string{"eu"},
			MaySwapModel: true, BaselineModel: "large", Capture: setting.CaptureNone,
			ErrorFormat: setting.FormatOpenAI, ExpiresAt: base.Add(time.Hour),
			User: "ada", Agent: "ci-bot",
			Limits: setting.Limits{
				RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5,
			},
		},
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	requireKey(t, s, k)

	k.Settings = setting.Key{Name: "bare"}
	k.RevokedAt, k.ReplacedBy = base.Add(time.Minute), newID()
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	requireKey(t, s, k)
}

func playgroundKeysAreApart(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	u := newUser(t, s, a.ID, "play@example.com")
	k := keyring.Key{
		ID: newID(), AccountID: a.ID, MAC: []byte("first"), Prefix: "sbx_live_abcd", CreatedAt: base, PlaygroundUser: u.ID,
		Settings: setting.Key{Name: "play", ExpiresAt: base.Add(time.Hour)},
	}
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	requireKey(t, s, k)
	k.MAC, k.Prefix = []byte("second"), "sbx_live_efgh"
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	requireKey(t, s, k)
	_, err := s.CredentialByMAC(t.Context(), []byte("first"))
	require.ErrorIs(t, err, access.ErrNoRow, "the secret was replaced")

	got, err := s.PlaygroundKey(t.Context(), a.ID, u.ID)
	require.NoError(t, err)
	require.Equal(t, k, got)
	_, err = s.PlaygroundKey(t.Context(), other.ID, u.ID)
	require.ErrorIs(t, err, access.ErrNoRow)
	keys, err := s.Keys(t.Context(), a.ID, base, 10)
	require.NoError(t, err)
	require.Empty(t, keys)
	n, err := s.CountKeys(t.Context(), a.ID, base)
	require.NoError(t, err)
	require.Zero(t, n)
}

func requireKey(t *testing.T, s account.Store, want keyring.Key) {
	t.Helper()
	byID, err := s.Credential(t.Context(), want.AccountID, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, byID.Key)
	require.Equal(t, want.AccountID, byID.Account.ID)
	byMAC, err := s.CredentialByMAC(t.Context(), want.MAC)
	require.NoError(t, err)
	require.Equal(t, byID, byMAC)
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, byID.Version, "a credential is as new as the log")
}

func keysNewestFirst(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	first, second := newKey(t, s, a.ID, base), newKey(t, s, a.ID, base.Add(time.Second))
	newKey(t, s, newAccount(t, s).ID, base)
	keys, err := s.Keys(t.Context(), a.ID, base, 0)
	require.NoError(t, err)
	require.Equal(t, []keyring.Key{second, first}, keys)
}

func endedKeysAreBounded(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	var all []keyring.Key
	for n, end := range []func(k *keyring.Key){
		func(k *keyring.Key) { k.RevokedAt = base },
		func(k *keyring.Key) { k.ReplacedBy, k.Settings.ExpiresAt = newID(), base },
		func(k *keyring.Key) { k.RevokedAt = base },
		func(k *keyring.Key) { k.ReplacedBy, k.Settings.ExpiresAt = newID(), base.Add(time.Microsecond) },
		func(k *keyring.Key) { k.Settings.ExpiresAt = base },
		func(*keyring.Key) {},
	} {
		k := newKey(t, s, a.ID, base.Add(time.Duration(n)*time.Second))
		end(&k)
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
		all = append([]keyring.Key{k}, all...)
	}
	newKey(t, s, newAccount(t, s).ID, base)

	count, err := s.CountKeys(t.Context(), a.ID, base)
	require.NoError(t, err)
	require.Equal(t, 3, count)
	for most := range 4 {
		keys, err := s.Keys(t.Context(), a.ID, base, most)
		require.NoError(t, err)
		require.Equal(t, all[:3+most], keys)
	}
}

func idsBelongToOneAccount(t *testing.T, s account.Store) {
	mine, theirs := newAccount(t, s), newAccount(t, s)
	u := newUser(t, s, theirs.ID, "a@example.com")
	k, one := newKey(t, s, theirs.ID, base), newSession(t, s, u, base)

	_, err := s.User(t.Context(), mine.ID, u.ID)
	require.ErrorIs(t, err, access.ErrNoRow)
	_, err = s.Credential(t.Context(), mine.ID, k.ID)
	require.ErrorIs(t, err, access.ErrNoRow)
	list, err := s.Sessions(t.Context(), mine.ID, u.ID)
	require.NoError(t, err)
	require.Empty(t, list)
	err = s.Write(t.Context(), func(tx account.Tx) error { return tx.EndSession(t.Context(), mine.ID, u.ID, one.ID) })
	require.ErrorIs(t, err, access.ErrNoRow)
	_, err = s.CredentialByMAC(t.Context(), []byte("nobody's"))
	require.ErrorIs(t, err, access.ErrNoRow)
}

func everyChangeIsLogged(t *testing.T, s account.Store) {
	start, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Positive(t, start, "0 means the present to a watcher")
	a := newAccount(t, s)
	k := newKey(t, s, a.ID, base)
	newUser(t, s, a.ID, "a@example.com")

	changes, err := s.Changes(t.Context(), start, 10)
	require.NoError(t, err)
	require.Equal(t, []keyring.Change{
		{Version: start + 1, AccountID: a.ID}, {Version: start + 2, AccountID: a.ID, KeyID: k.ID},
	}, changes)
	changes, err = s.Changes(t.Context(), start, 1)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	changes, err = s.Changes(t.Context(), start+2, 10)
	require.NoError(t, err)
	require.Empty(t, changes)
}

// versionsAppearInOrder follows the log during concurrent writes. If a version
// appeared before a lower one, a watcher would miss the lower one.
func versionsAppearInOrder(t *testing.T, s account.Store) {
	const writers, each = 6, 5
	a := newAccount(t, s)
	at, err := s.Head(t.Context())
	require.NoError(t, err)
	end := at + writers*each
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for range each {
				errs[w] = errors.Join(errs[w], s.Write(t.Context(), func(tx account.Tx) error {
					return tx.SaveAccount(t.Context(), a)
				}))
			}
		})
	}
	for at < end && t.Context().Err() == nil {
		changes, err := s.Changes(t.Context(), at, writers*each)
		require.NoError(t, err)
		for _, c := range changes {
			require.Equal(t, at+1, c.Version)
			at = c.Version
		}
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

// readsStayTrue increments a counter from many concurrent writers, so that a lost update would show.
func readsStayTrue(t *testing.T, s account.Store) {
	const writers = 20
	a := newAccount(t, s)
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			errs[w] = s.Write(t.Context(), func(tx account.Tx) error {
				now, err := tx.Account(t.Context(), a.ID)
				if err != nil {
					return err
				}
				now.ContentDays++
				return tx.SaveAccount(t.Context(), now)
			})
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	got, err := s.Account(t.Context(), a.ID)
	require.NoError(t, err)
	require.EqualValues(t, writers, got.ContentDays)
}
