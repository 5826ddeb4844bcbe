package storetest

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func sum(accountID, keyID string, p spend.Period, nano int64) spend.Sum {
	return spend.Sum{SumKey: spend.SumKey{AccountID: accountID, KeyID: keyID, Period: p}, NanoUSD: nano}
}

func saveSums(t *testing.T, s account.Store, sums ...spend.Sum) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveSums(ctx, sums) })
}

func sums(t *testing.T, s account.Store, names ...spend.SumKey) (found []spend.Sum) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx account.Tx) (err error) {
		found, err = tx.Sums(ctx, names)
		return err
	})
	return found
}

func sumsComeBack(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	log, err := s.Head(t.Context())
	require.NoError(t, err)
	one, two := sum(a.ID, "", "2026-03", 5), sum(a.ID, newID(), "2026-03-04", math.MaxInt64)
	two.NotifiedPercent, two.NotifiedLimit = 80, math.MaxInt64
	saveSums(t, s)
	saveSums(t, s, one, two, sum(other.ID, "", "2026-03", 7))
	head, err := s.SpendHead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, head, "each has a version")
	missing := spend.SumKey{AccountID: a.ID, Period: "2026-04"}
	require.ElementsMatch(t, []spend.Sum{one, two}, sums(t, s, one.SumKey, two.SumKey, missing))
	require.Empty(t, sums(t, s))

	two.NanoUSD, two.NotifiedPercent, two.NotifiedLimit = 1, 100, 9
	saveSums(t, s, two)
	require.Equal(t, []spend.Sum{two}, sums(t, s, two.SumKey))
	after, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, log, after, "it is no change of a key")
}

// manySums stores more sums than fit into one statement.
func manySums(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	const most = 1500
	all, names := make([]spend.Sum, most), make([]spend.SumKey, most)
	for i := range all {
		all[i] = sum(a.ID, newID(), "2026-03-04", int64(i))
		names[i] = all[i].SumKey
	}
	saveSums(t, s, all...)
	require.ElementsMatch(t, all, sums(t, s, names...))
}

func oldSumsArePruned(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	all := []spend.Sum{
		sum(a.ID, "", "2026-02", 1), sum(a.ID, "", "2026-02-28", 2), sum(a.ID, "", "2026-03", 3), sum(a.ID, "", "2026-03-01", 4),
	}
	saveSums(t, s, all...)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.PruneSums(ctx, "2026-03") })
	var names []spend.SumKey
	for _, one := range all {
		names = append(names, one.SumKey)
	}
	require.ElementsMatch(t, all[2:], sums(t, s, names...))
}

func spentByVersion(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	k, free := newKey(t, s, a.ID, base), newKey(t, s, a.ID, base)
	k.Settings.Limits.NanoUSDPerDay = 1
	a.Limits.NanoUSDPerMonth = 1
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveKey(ctx, k) })
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveAccount(ctx, a) })
	saveSums(t, s,
		sum(a.ID, k.ID, "2026-03-04", 2), sum(a.ID, k.ID, "2026-03", 20),
		sum(a.ID, free.ID, "2026-03-04", 3), sum(a.ID, free.ID, "2026-03", 30),
		sum(a.ID, "", "2026-03", 50), sum(a.ID, "", "2026-02", 99), sum(newAccount(t, s).ID, "", "2026-03", 5))
	key := spend.BudgetSpend{AccountID: a.ID, KeyID: k.ID, Day: "2026-03-04", DayNanoUSD: 2, MonthNanoUSD: 20, Version: 2}
	whole := spend.BudgetSpend{AccountID: a.ID, Day: "2026-03-04", MonthNanoUSD: 50, Version: 5}
	for _, c := range []struct {
		after int64
		limit int
		want  []spend.BudgetSpend
	}{{0, 10, []spend.BudgetSpend{key, whole}}, {0, 1, []spend.BudgetSpend{key}}, {2, 10, []spend.BudgetSpend{whole}}, {5, 10, nil}} {
		got, err := s.BudgetSpend(t.Context(), c.after, "2026-03-04", c.limit)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	none, err := s.BudgetSpend(t.Context(), 0, "2026-04-01", 10)
	require.NoError(t, err)
	require.Empty(t, none)
}

func credentialsComeBack(t *testing.T, s account.Store) {
	first, second := newKey(t, s, newAccount(t, s).ID, base), newKey(t, s, newAccount(t, s).ID, base)
	ids := []string{first.ID, second.ID}
	for range 1000 {
		ids = append(ids, newID())
	}
	var found []keyring.Credential
	write(t, s, func(ctx context.Context, tx account.Tx) (err error) {
		found, err = tx.Credentials(ctx, ids)
		return err
	})
	require.Len(t, found, 2)
	for _, c := range found {
		require.Equal(t, c.Account.ID, c.Key.AccountID)
		require.Contains(t, []keyring.Key{first, second}, c.Key)
	}
}
