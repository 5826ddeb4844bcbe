package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func budgetsComeBack(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	first := setting.Budget{ID: newID(), Name: "b", Kind: setting.KindUser, Value: "*", Amounts: spend.Budget{
		NanoUSDPerHour: 1, NanoUSDPerDay: 2, NanoUSDPerWeek: 3, NanoUSDPerMonth: 4, NanoUSDTotal: 5,
	}}
	second := setting.Budget{ID: newID(), Name: "a", Kind: setting.KindTag, Value: "team"}
	save := func(accountID string, b setting.Budget) {
		write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.SaveBudget(ctx, accountID, b) })
	}
	list := func(accountID string) []setting.Budget {
		found, err := s.Budgets(t.Context(), accountID)
		require.NoError(t, err)
		return found
	}
	head, err := s.Head(t.Context())
	require.NoError(t, err)
	save(a.ID, first)
	save(a.ID, second)
	save(other.ID, setting.Budget{ID: newID(), Name: "a"})
	require.Equal(t, []setting.Budget{second, first}, list(a.ID))
	first.Amounts.NanoUSDTotal = 50
	save(a.ID, first)
	require.Equal(t, []setting.Budget{second, first}, list(a.ID))
	changes, err := s.Changes(t.Context(), head, 10)
	require.NoError(t, err)
	require.Equal(t, []keyring.Change{
		{Version: head + 1, AccountID: a.ID}, {Version: head + 2, AccountID: a.ID}, {Version: head + 3, AccountID: other.ID}, {Version: head + 4, AccountID: a.ID},
	}, changes)

	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.RemoveBudget(ctx, other.ID, first.ID) })
	require.Len(t, list(a.ID), 2, "it belongs to another account")
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.RemoveBudget(ctx, a.ID, first.ID) })
	require.Equal(t, []setting.Budget{second}, list(a.ID))
}

func groupSpendByVersion(t *testing.T, s account.Store) {
	a, other := newAccount(t, s), newAccount(t, s)
	id := newID()
	whole, ada := spend.GroupOwner(a.ID, id).KeyID, spend.GroupOwner(a.ID, id+"/ada").KeyID
	saveSums(t, s,
		sum(a.ID, whole, "2026-03-04T05", 1), sum(a.ID, ada, "2026-03-04", 2), sum(a.ID, ada, "total", 3),
		sum(a.ID, newID(), "2026-03-04", 4), sum(a.ID, ada, "2026-03-03", 5), sum(other.ID, spend.GroupOwner(other.ID, newID()).KeyID, "total", 6))
	periods := []spend.Period{"2026-03-04T05", "2026-03-04", spend.Lifetime}
	versions := func(after int64, limit int) (all []int64) {
		list, err := s.GroupSpend(t.Context(), after, periods, limit)
		require.NoError(t, err)
		for _, one := range list {
			all = append(all, one.Version)
		}
		return all
	}
	require.Equal(t, []int64{1, 2, 3, 6}, versions(0, 10))
	require.Equal(t, []int64{2, 3}, versions(1, 2))
	require.Empty(t, versions(6, 10))
	highest := []spend.GroupSpend{
		{AccountID: a.ID, Budget: id + "/ada", Period: "total", NanoUSD: 3, Version: 3},
		{AccountID: a.ID, Budget: id + "/ada", Period: "2026-03-04", NanoUSD: 2, Version: 2},
	}
	got, err := s.AccountGroupSpend(t.Context(), a.ID, periods, 2)
	require.NoError(t, err)
	require.Equal(t, highest, got)

	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.PruneSums(ctx, "2026-05") })
	require.Equal(t, []int64{3, 6}, versions(0, 10), "a prepaid amount is not pruned")
	write(t, s, func(ctx context.Context, tx account.Tx) error { return tx.RemoveBudget(ctx, a.ID, id) })
	require.Equal(t, []int64{6}, versions(0, 10))
}
