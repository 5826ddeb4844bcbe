package limits

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// count is how many accounts and keys are remembered.
func count(k *Keeper) (accounts, keys int) {
	k.everyAccount(func(a *account) {
		accounts++
		keys += len(a.keys)
	})
	return accounts, keys
}

func TestOnlyWhatMattersIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := New(Deps{})
		require.NoError(t, err)
		rated := Caller{AccountID: "rated", KeyID: "one", Key: Set{RequestsPerMinute: 10}}
		paying := Caller{AccountID: "paying", KeyID: "one", Key: Set{NanoUSDPerDay: 10}}
		p, err := k.Enter(t.Context(), &rated)
		require.NoError(t, err)
		q, err := k.Enter(t.Context(), &paying)
		require.NoError(t, err)
		require.NoError(t, q.Reserve(t.Context(), 0, 5))
		q.Settle(0, 5)
		q.Leave()
		k.Stored("stored", "one", "2000-01-01", 1, 1)

		<-time.After(time.Hour)
		k.forget()
		accounts, keys := count(k)
		require.Equal(t, 3, accounts, "one request runs, one has spent, one is in the ledger")
		require.Equal(t, 3, keys)
		p.Leave()
		k.forget()
		accounts, _ = count(k)
		require.Equal(t, 2, accounts)
		<-time.After(31 * 24 * time.Hour)
		k.forget()
		accounts, keys = count(k)
		require.Zero(t, accounts)
		require.Zero(t, keys)

		again, err := k.Enter(t.Context(), &paying)
		require.NoError(t, err)
		require.Zero(t, *again.BudgetUsed())
	})
}

func TestAForgottenAccountIsNotUsed(t *testing.T) {
	k, err := New(Deps{})
	require.NoError(t, err)
	old := k.account("acme")
	k.forget()
	require.True(t, old.gone)
	fresh := k.lock("acme")
	defer fresh.mu.Unlock()
	require.NotSame(t, old, fresh)
}

func TestPastPeriodsAreDroppedWhenAllIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := New(Deps{})
		require.NoError(t, err)
		c := Caller{AccountID: "acme", KeyID: "one", Key: Set{NanoUSDPerDay: 10}}
		p, err := k.Enter(t.Context(), &c)
		require.NoError(t, err)
		require.NoError(t, p.Reserve(t.Context(), 0, 5))
		<-time.After(24 * time.Hour)
		_, err = k.Enter(t.Context(), &c)
		require.NoError(t, err)
		k.forget()
		require.Len(t, p.of[0].old, 1)
		p.Settle(0, 5)
		k.forget()
		require.Empty(t, p.of[0].old)
	})
}
