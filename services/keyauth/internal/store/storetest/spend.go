package storetest

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

func sum(accountID, keyID string, p account.Period, nano int64) account.Sum {
	return account.Sum{SumName: account.SumName{AccountID: accountID, KeyID: keyID, Period: p}, NanoUSD: nano}
}

func saveSums(t *testing.T, s account.Store, sums ...account.Sum) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveSums(ctx, sums) })
}

func sums(t *testing.T, s account.Store, names ...account.SumName) (found []account.Sum) {
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
	two.ToldPercent, two.ToldLimit = 80, math.MaxInt64
	saveSums(t, s)
	saveSums(t, s, one, two, sum(other.ID, "", "2026-03", 7))
	head, err := s.SpendHead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, head, "each has a version")
	missing := account.SumName{AccountID: a.ID, Period: "2026-04"}
	require.ElementsMatch(t, []account.Sum{one, two}, sums(t, s, one.SumName, two.SumName, missing))
	require.Empty(t, sums(t, s))

	two.NanoUSD, two.ToldPercent, two.ToldLimit = 1, 100, 9
	saveSums(t, s, two)
	require.Equal(t, []account.Sum{two}, sums(t, s, two.SumName))
	after, err := s.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, log, after, "it is no change of a key")
}

// manySums are more than one statement takes.
func manySums(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	const most = 1500
	all, names := make([]account.Sum, most), make([]account.SumName, most)
	for i := range all {
		all[i] = sum(a.ID, newID(), "2026-03-04", int64(i))
		names[i] = all[i].SumName
	}
	saveSums(t, s, all...)
	require.ElementsMatch(t, all, sums(t, s, names...))
}

func oldSumsArePruned(t *testing.T, s account.Store) {
	a := newAccount(t, s)
	all := []account.Sum{
		sum(a.ID, "", "2026-02", 1), sum(a.ID, "", "2026-02-28", 2), sum(a.ID, "", "2026-03", 3), sum(a.ID, "", "2026-03-01", 4),
	}
	saveSums(t, s, all...)
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.PruneSums(ctx, "2026-03") })
	var names []account.SumName
	for _, one := range all {
		names = append(names, one.SumName)
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
	key := account.Spent{AccountID: a.ID, KeyID: k.ID, Day: "2026-03-04", DayNanoUSD: 2, MonthNanoUSD: 20, Version: 2}
	whole := account.Spent{AccountID: a.ID, Day: "2026-03-04", MonthNanoUSD: 50, Version: 5}
	for _, c := range []struct {
		after int64
		limit int
		want  []account.Spent
	}{{0, 10, []account.Spent{key, whole}}, {0, 1, []account.Spent{key}}, {2, 10, []account.Spent{whole}}, {5, 10, nil}} {
		got, err := s.Spent(t.Context(), c.after, "2026-03-04", c.limit)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	none, err := s.Spent(t.Context(), 0, "2026-04-01", 10)
	require.NoError(t, err)
	require.Empty(t, none)
}

func credentialsComeBack(t *testing.T, s account.Store) {
	first, second := newKey(t, s, newAccount(t, s).ID, base), newKey(t, s, newAccount(t, s).ID, base)
	ids := []string{first.ID, second.ID}
	for range 1000 {
		ids = append(ids, newID())
	}
	var found []account.Credential
	write(t, s, func(ctx context.Context, tx account.Tx) (err error) {
		found, err = tx.Credentials(ctx, ids)
		return err
	})
	require.Len(t, found, 2)
	for _, c := range found {
		require.Equal(t, c.Account.ID, c.Key.AccountID)
		require.Contains(t, []account.Key{first, second}, c.Key)
	}
}
