package limits_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// team is a group budget of a tag.
func team(a limits.Amounts) limits.Budget {
	return limits.Budget{ID: "b-team", Name: "team", Kind: limits.KindTag, Value: "team", Amounts: a}
}

// users is a budget for each user.
func users(a limits.Amounts) limits.Budget {
	return limits.Budget{ID: "b-users", Name: "users", Kind: limits.KindUser, Value: "*", Amounts: a}
}

// enterGroups admits a request of a user and adds the budgets that apply.
func enterGroups(t *testing.T, k *limits.Limiter, user string, all ...limits.Budget) *limits.Admission {
	t.Helper()
	p, err := k.Admit(t.Context(), &limits.Caller{AccountID: "acme", KeyID: "prod", HasGroups: true})
	require.NoError(t, err)
	p.AddGroups(limits.MatchBudgets(all, &limits.Identity{KeyID: "prod", User: user, UserHash: user}))
	return p
}

// spendGroups runs one whole request.
func spendGroups(t *testing.T, k *limits.Limiter, user string, nano int64, all ...limits.Budget) error {
	t.Helper()
	p := enterGroups(t, k, user, all...)
	defer p.Release()
	err := p.Reserve(t.Context(), 0, nano)
	if err == nil {
		p.Settle(0, nano)
	}
	return err
}

// exceeds checks that a budget rejected a request, and in which window.
func exceeds(t *testing.T, window string, err error) {
	t.Helper()
	require.True(t, apperr.Is(err, apperr.BudgetExceeded), err)
	require.Equal(t, window, apperr.From(err).Details["window"])
}

func TestSelectorsOfBudgets(t *testing.T) {
	budget := func(kind, value string) limits.Budget {
		return limits.Budget{ID: kind + "=" + value, Kind: kind, Value: value}
	}
	all := []limits.Budget{
		budget(limits.KindTag, "team"), budget(limits.KindKey, "*"), budget(limits.KindUser, "*"), budget(limits.KindUser, "ada"),
		budget(limits.KindAgent, "codex"), budget(limits.KindAgent, "*"),
	}
	for name, tc := range map[string]struct {
		who  limits.Identity
		want []string
	}{
		"a named user":      {limits.Identity{User: "ada", UserHash: "hash", Agent: "curl"}, []string{"tag=team/", "key=*/prod", "user=ada/", "agent=*/curl"}},
		"another user":      {limits.Identity{User: "ben", UserHash: "hash", Agent: "codex"}, []string{"tag=team/", "key=*/prod", "user=*/hash", "agent=codex/"}},
		"no user, no agent": {limits.Identity{}, []string{"tag=team/", "key=*/prod", "user=*/", "agent=*/"}},
	} {
		var got []string
		tc.who.KeyID = "prod"
		for _, g := range limits.MatchBudgets(all, &tc.who) {
			got = append(got, g.ID+"/"+g.Member)
		}
		require.Equal(t, tc.want, got, name)
	}
}

func TestAGroupBudgetIsNamedInTheRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := alone(t)
		b := team(limits.Amounts{PerHour: 100, PerDay: 150, PerWeek: 180, PerMonth: 200, Total: 210})
		for _, step := range []struct {
			window, text string
			spends       int64
			wait         time.Duration
		}{
			{"hour", "$0.0000001 an hour", 100, time.Hour}, {"day", "$0.00000015 a day", 50, 24 * time.Hour},
			{"week", "$0.00000018 a week", 30, 7 * 24 * time.Hour}, {"month", "$0.0000002 a month", 20, 31 * 24 * time.Hour},
			{"total", "$0.00000021 in total", 10, 400 * 24 * time.Hour},
		} {
			require.NoError(t, spendGroups(t, k, "", step.spends, b), step.window)
			err := spendGroups(t, k, "", 1, b)
			require.True(t, apperr.Is(err, apperr.BudgetExceeded), err)
			e := apperr.From(err)
			require.Equal(t, "team", e.Details["budget"])
			require.Equal(t, step.window, e.Details["window"])
			require.Contains(t, e.Message, `the budget "team" of `+step.text)
			_, resets := e.Details["limit"].(map[string]any)["reset_at"]
			require.Equal(t, step.window != "total", resets)
			wait(step.wait)
		}
		exceeds(t, "total", spendGroups(t, k, "", 1, b)) // a prepaid amount never resets
		require.NoError(t, spendGroups(t, k, "", 1, team(limits.Amounts{Total: 211})), "a raised amount applies at once")
	})
}

func TestEachUserHasABudget(t *testing.T) {
	k, b := alone(t), users(limits.Amounts{PerDay: 100})
	require.NoError(t, spendGroups(t, k, "ada", 100, b))
	require.Error(t, spendGroups(t, k, "ada", 1, b))
	require.NoError(t, spendGroups(t, k, "ben", 100, b))
	require.NoError(t, spendGroups(t, k, "", 60, b))
	require.Error(t, spendGroups(t, k, "", 41, b), "requests without a user share one")
}

// Clients choose their users freely, so one that invents many must not get a budget for each.
func TestTooManyMembersShareABudget(t *testing.T) {
	k, b := alone(t), users(limits.Amounts{PerDay: 100})
	for i := range 5000 {
		enterGroups(t, k, fmt.Sprint("user", i), b).Release()
	}
	require.NoError(t, spendGroups(t, k, "user1", 100, b), "known members keep their budgets")
	require.NoError(t, spendGroups(t, k, "new1", 60, b))
	require.Error(t, spendGroups(t, k, "new2", 60, b))
	require.Error(t, spendGroups(t, k, "", 60, b))
}

// A request reserves from all of its budgets or from none.
func TestARefusedBudgetGivesBackWhatTheOthersGave(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		wide, tight := team(limits.Amounts{PerDay: 100}), users(limits.Amounts{PerDay: 10})
		for range 30 {
			require.Error(t, spendGroups(t, ks[0], "ada", 50, wide, tight))
		}
		require.NoError(t, spendGroups(t, ks[0], "ada", 100, wide))
	})
}

func TestGroupMoneyIsNeverReservedTwice(t *testing.T) {
	inEveryShape(t, func(t *testing.T, ks []*limits.Limiter) {
		all := []limits.Budget{team(limits.Amounts{PerHour: 2_000_000, Total: 900_000}), users(limits.Amounts{PerWeek: 400_000})}
		var team book
		var each [3]book
		crowd(ks, 40, func(k *limits.Limiter) {
			user := rand.IntN(len(each))
			p := enterGroups(t, k, fmt.Sprint("user", user), all...)
			defer p.Release()
			estimate := 1 + rand.Int64N(2000)
			if err := p.Reserve(t.Context(), 0, estimate); err != nil {
				require.True(t, apperr.Is(err, apperr.BudgetExceeded), err)
				return
			}
			actual := rand.Int64N(estimate + 1)
			for _, b := range []*book{&team, &each[user]} {
				b.reserve(estimate)
				b.settle(estimate, actual)
			}
			p.Settle(0, actual)
		})
		require.LessOrEqual(t, team.most, int64(900_000))
		for i := range each {
			require.LessOrEqual(t, each[i].most, int64(400_000))
		}
		// The rest can be spent to the last nano.
		require.Eventually(t, func() bool {
			left := 900_000 - team.spent
			return left <= 0 || spendGroups(t, ks[0], "last", left, all[0]) == nil
		}, eventually, often)
		require.Eventually(t, func() bool {
			return spendGroups(t, ks[len(ks)-1], "last", 1, all[0]) != nil
		}, eventually, often, "all proxies know")
	})
}

// A proxy dies with money that it has reserved and spent. What it reported stays spent; the rest
// arrives with its records.
func TestADeadProxysGroupMoney(t *testing.T) {
	t.Parallel()
	server := redis(t)
	r := raw(t, server.URL)
	b := team(limits.Amounts{Total: 1000})
	dead, err := limits.New(limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	require.NoError(t, err)
	require.NoError(t, spendGroups(t, dead, "", 300, b), "the counters do not know it yet")
	require.NoError(t, enterGroups(t, dead, "", b).Reserve(t.Context(), 0, 600), "it never settles")

	alive := proxies(t, server.URL, 1)[0]
	require.Error(t, spendGroups(t, alive, "", 200, b))
	name, field, amount, lasts := held(t, r, "total")
	require.LessOrEqual(t, lasts, time.Minute)
	require.NoError(t, r.HSet(t.Context(), name, field, fmt.Sprintf("%d:1:1", amount)).Err())
	alive.SetStoredGroupSpend("acme", "b-team", "total", 900)
	require.Error(t, spendGroups(t, alive, "", 101, b), "the ledger knows what it spent")
	require.Eventually(t, func() bool { return spendGroups(t, alive, "", 100, b) == nil }, eventually, often)
	alive.SetStoredGroupSpend("acme", "b-team", "total", 1000)
	require.Error(t, spendGroups(t, alive, "", 1, b))
}

func TestStoredGroupSpendCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, b := alone(t), users(limits.Amounts{PerWeek: 100, Total: 1000})
		k.SetStoredGroupSpend("acme", "b-users/ada", "2000-W01", 10_000)
		k.SetStoredGroupSpend("acme", "b-users/ada", "no period", 10_000)
		require.NoError(t, spendGroups(t, k, "ada", 10, b), "other weeks and other texts do not count")
		k.SetStoredGroupSpend("acme", "b-users/ada", "1999-W52", 60)
		k.SetStoredGroupSpend("acme", "b-users/ada", "1999-W52", 5)
		require.Error(t, spendGroups(t, k, "ada", 41, b))
		require.NoError(t, spendGroups(t, k, "ada", 40, b))
		require.NoError(t, spendGroups(t, k, "ben", 100, b))
	})
}

func TestARequestIsSettledInTheHourInWhichItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, b := alone(t), team(limits.Amounts{PerHour: 100})
		p, err := k.Admit(t.Context(), &limits.Caller{AccountID: "acme", KeyID: "prod", HasGroups: true})
		require.NoError(t, err)
		wait(time.Hour) // the client sends its body slowly
		p.AddGroups(limits.MatchBudgets([]limits.Budget{b}, &limits.Identity{}))
		require.NoError(t, spendGroups(t, k, "", 70, b))
		require.NoError(t, p.Reserve(t.Context(), 0, 90))
		p.Settle(0, 90)
		p.Release()
		require.NoError(t, spendGroups(t, k, "", 30, b))
		require.Error(t, spendGroups(t, k, "", 1, b))
	})
}

func TestGroupSpendOutlivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	synctest.Test(t, func(t *testing.T) {
		all := []limits.Budget{team(limits.Amounts{PerHour: 100, Total: 150}), users(limits.Amounts{PerWeek: 90})}
		k, _ := run(t, limits.Deps{Path: path})
		require.NoError(t, spendGroups(t, k, "ada", 80, all...))
		wait(1100 * time.Millisecond)
		crashed, err := limits.New(limits.Deps{Path: path})
		require.NoError(t, err)
		exceeds(t, "hour", spendGroups(t, crashed, "ben", 21, all...))
		exceeds(t, "week", spendGroups(t, crashed, "ada", 11, all...))
		wait(time.Hour)
		exceeds(t, "total", spendGroups(t, crashed, "", 71, all[0]))
		require.NoError(t, spendGroups(t, crashed, "ada", 10, all...))
	})
}

func TestGroupBudgetsCountForTheUsedPart(t *testing.T) {
	k, b := alone(t), team(limits.Amounts{PerDay: 100})
	require.NoError(t, spendGroups(t, k, "", 40, b))
	require.Equal(t, int64(400), *enterGroups(t, k, "", b).BudgetUsed())
}

func BenchmarkGroups(b *testing.B) {
	k, err := limits.New(limits.Deps{})
	require.NoError(b, err)
	c := &limits.Caller{AccountID: "acme", KeyID: "prod", Key: busy, Account: busy, HasGroups: true}
	all := []limits.Budget{team(limits.Amounts{PerDay: 1e18, Total: 1e18}), users(limits.Amounts{PerMonth: 1e18})}
	b.ReportAllocs()
	for b.Loop() {
		p, _ := k.Admit(b.Context(), c)
		p.AddGroups(limits.MatchBudgets(all, &limits.Identity{User: "ada", UserHash: "ada"}))
		_ = p.Reserve(b.Context(), 1000, 1000)
		p.Settle(900, 900)
		p.Release()
	}
}
