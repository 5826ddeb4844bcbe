package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func TestWatcherBehindThePrunedLogFails(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		since, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		for range 3 {
			_, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
			require.NoError(t, err)
		}
		require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error { return tx.PruneChanges(t.Context(), 2) }))
		_, err = w.Keys.Changes(t.Context(), since)
		requireParam(t, "since_version", err)
		_, err = w.Keys.StartVersion(t.Context(), since)
		requireParam(t, "since_version", err)
		_, err = w.Keys.StartVersion(t.Context(), since+1)
		require.NoError(t, err)
		changes, err := w.Keys.Changes(t.Context(), since+1)
		require.NoError(t, err)
		require.Len(t, changes, 2)
	})
}

// Changes prune the log.
func TestTheChangeLogStaysSmall(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	svc, err := account.New(account.Config{
		Store: w.store, Pepper: make([]byte, account.PepperLen), Registration: account.RegistrationOpen, KeepChanges: 3,
		HashMemory: hashMemory,
	})
	require.NoError(t, err)
	owner := w.newOwner(t)
	for range 10 {
		_, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
	}
	_, err = svc.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
	require.NoError(t, err)
	changes, err := w.store.Changes(t.Context(), 0, 100)
	require.NoError(t, err)
	require.Len(t, changes, 3)
}
