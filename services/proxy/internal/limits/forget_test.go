package limits

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// count returns how many accounts and keys are in memory.
func count(k *Limiter) (accounts, keys int) {
	k.forEachAccount(func(a *account) {
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
		p, err := k.Admit(t.Context(), &rated)
		require.NoError(t, err)
		q, err := k.Admit(t.Context(), &paying)
		require.NoError(t, err)
		require.NoError(t, q.Reserve(t.Context(), 0, 5))
		q.Settle(0, 5)
		q.Release()
		k.SetStoredSpend("stored", "one", "2000-01-01", 1, 1)

		<-time.After(time.Hour)
		k.dropIdle()
		accounts, keys := count(k)
		require.Equal(t, 3, accounts, "one request runs, one has spent, one is in the ledger")
		require.Equal(t, 3, keys)
		p.Release()
		k.dropIdle()
		accounts, _ = count(k)
		require.Equal(t, 2, accounts)
		<-time.After(31 * 24 * time.Hour)
		k.dropIdle()
		accounts, keys = count(k)
		require.Zero(t, accounts)
		require.Zero(t, keys)

		again, err := k.Admit(t.Context(), &paying)
		require.NoError(t, err)
		require.Zero(t, *again.BudgetUsed())
	})
}

func TestAForgottenAccountIsNotUsed(t *testing.T) {
	k, err := New(Deps{})
	require.NoError(t, err)
	old := k.findAccount("acme")
	k.dropIdle()
	require.True(t, old.removed)
	fresh := k.lockAccount("acme")
	defer fresh.mu.Unlock()
	require.NotSame(t, old, fresh)
}

func TestPastPeriodsAreDroppedWhenAllIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := New(Deps{})
		require.NoError(t, err)
		c := Caller{AccountID: "acme", KeyID: "one", Key: Set{NanoUSDPerDay: 10}}
		p, err := k.Admit(t.Context(), &c)
		require.NoError(t, err)
		require.NoError(t, p.Reserve(t.Context(), 0, 5))
		<-time.After(24 * time.Hour)
		_, err = k.Admit(t.Context(), &c)
		require.NoError(t, err)
		k.dropIdle()
		require.Len(t, p.subjects[0].pastBudgets, 1)
		p.Settle(0, 5)
		k.dropIdle()
		require.Empty(t, p.subjects[0].pastBudgets)
	})
}

// A client that sends its body over the end of an hour brings the calendar of that hour.
func TestALateRequestDoesNotDropTheCurrentPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := New(Deps{})
		require.NoError(t, err)
		groups := []Group{{Budget: &Budget{ID: "team", Amounts: Amounts{PerHour: 100}}}}
		enter := func() *Admission {
			p, err := k.Admit(t.Context(), &Caller{AccountID: "acme", KeyID: "one", HasGroups: true})
			require.NoError(t, err)
			return p
		}
		late := enter()
		<-time.After(time.Hour)
		p := enter()
		p.AddGroups(groups)
		require.NoError(t, p.Reserve(t.Context(), 0, 70))
		p.Settle(0, 70)
		p.Release()
		late.AddGroups(groups)
		require.NoError(t, late.Reserve(t.Context(), 0, 90), "it counts in the hour in which it began")
		k.dropIdle()
		late.Settle(0, 90)
		late.Release()
		k.dropIdle()
		p = enter()
		p.AddGroups(groups)
		require.Error(t, p.Reserve(t.Context(), 0, 31))
		require.NoError(t, p.Reserve(t.Context(), 0, 30))
	})
}

// A sum for which the budget has no amount does not keep a member, also if it never resets.
func TestAMemberIsForgottenWhenItsWindowsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, err := New(Deps{})
		require.NoError(t, err)
		for _, one := range []struct {
			id      string
			amounts Amounts
		}{{"hourly", Amounts{PerHour: 100}}, {"prepaid", Amounts{Total: 100}}} {
			k.SetStoredGroupSpend("acme", one.id+"/ada", lifetime, 5)
			p, err := k.Admit(t.Context(), &Caller{AccountID: "acme", KeyID: "one", HasGroups: true})
			require.NoError(t, err)
			p.AddGroups([]Group{{Budget: &Budget{ID: one.id, Amounts: one.amounts}, Member: "ada"}})
			require.NoError(t, p.Reserve(t.Context(), 0, 10))
			p.Settle(0, 10)
			p.Release()
		}
		k.dropIdle()
		a := k.findAccount("acme")
		require.Len(t, a.groups, 2)
		<-time.After(time.Hour)
		k.dropIdle()
		require.Len(t, a.groups, 1)
		require.Contains(t, a.groups, "prepaid/ada")
	})
}
