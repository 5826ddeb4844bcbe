package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// spendGroups checks that the groups of a spend report are ordered by cost, and that their
// costs over time add up to the series.
func spendGroups(t *testing.T, s *store.Store) {
	var stored []*record.Record
	for n := range 60 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n)*7*time.Hour))
		// The dearest key has the fewest requests.
		key := min(n%11, n%7)
		r.KeyID, r.Model, r.User, r.Session = fmt.Sprint("key-", key), model(n%9), fmt.Sprint("user-", n%8), fmt.Sprint("session-", n)
		r.Agent = fmt.Sprint("agent-", n%7)
		r.Cost = Nano(int64(1+key*key) * 1_000_000_007)
		r.Inputs = &record.DecisionInputs{Tags: []string{fmt.Sprint("tag-", n%2), "all"}}
		stored = append(stored, r)
	}
	other := Make("other", 1)
	insert(t, s, append(stored, other)...)
	q := record.Query{Account: "acc", From: Base().Add(-time.Hour), To: Base().AddDate(0, 0, 30)}
	for _, by := range []record.GroupBy{record.GroupKey, record.GroupModel, record.GroupAgent, record.GroupUser, record.GroupSession, record.GroupTag} {
		for _, from := range []time.Time{q.From, Base().AddDate(0, 0, 14)} { // steps of days, and of hours
			q.From, q.To = from, from.AddDate(0, 0, 16)
			requireSpendAddsUp(t, s, q, by)
		}
		q.From, q.To = Base(), Base().Add(50*time.Hour)
		requireSpendAddsUp(t, s, q, by)
	}
}

func requireSpendAddsUp(t *testing.T, s *store.Store, q record.Query, by record.GroupBy) {
	t.Helper()
	spend, err := s.Spend(t.Context(), q, by)
	require.NoError(t, err, by)
	impact, err := s.Impact(t.Context(), q, by)
	require.NoError(t, err, by)
	require.Equal(t, impact.Sums, spend.Sums, by)
	require.Equal(t, impact.Series, spend.Series, by)
	plain, err := s.Impact(t.Context(), q, record.GroupKey)
	require.NoError(t, err, by)
	require.Equal(t, plain.Sums, spend.Sums, "%s: the same requests, from another table", by)
	require.Equal(t, plain.Series, spend.Series, by)
	require.Len(t, spend.Groups, len(impact.Groups), by)
	byStep, last := map[time.Time]int64{}, int64(1<<62)
	add := func(costs []record.StepCost) (sum int64) {
		for _, c := range costs {
			byStep[c.Start] += c.NanoUSD
			sum += c.NanoUSD
		}
		return sum
	}
	for n, g := range spend.Groups {
		require.LessOrEqual(t, g.Routed, last, "%s: the dearest group comes first", by)
		last = g.Routed
		require.Equal(t, n < 6, g.Costs != nil, "%s: group %d", by, n)
		if g.Costs != nil {
			require.Equal(t, g.Routed, add(g.Costs), "%s: %s", by, g.Value)
		}
	}
	require.Equal(t, len(spend.Groups) > 6, spend.OtherCosts != nil, by)
	add(spend.OtherCosts)
	times := int64(1)
	if by == record.GroupTag {
		times = 2 // every request has two tags
	}
	for _, step := range spend.Series {
		require.Equal(t, times*step.Routed, byStep[step.Start], "%s: %s", by, step.Start)
	}
	require.Len(t, byStep, len(spend.Series), by)
}

// dearestGroups checks which of many groups a spend report has, in ranges that end within an hour.
func dearestGroups(t *testing.T, s *store.Store) {
	var stored []*record.Record
	for n := range 1500 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n)*13*time.Minute))
		r.Session, r.User = fmt.Sprint("session-", n%500), fmt.Sprint("user-", n%300)
		r.Inputs = &record.DecisionInputs{Tags: []string{"all", fmt.Sprint("tag-", n%260)}}
		r.Cost = Nano(int64(n*7919%500+1) * 1_000_000_007)
		stored = append(stored, r)
	}
	insert(t, s, stored...)
	from := Base().Add(50 * time.Minute)
	for _, span := range []time.Duration{20 * time.Hour, 7*24*time.Hour + 20*time.Minute, 12*24*time.Hour + 5*time.Hour + time.Second} {
		q := record.Query{Account: "acc", From: from, To: from.Add(span)}
		requireDearest(t, s, q, record.GroupSession, stored, func(r *record.Record) []string { return []string{r.Session} })
		requireDearest(t, s, q, record.GroupUser, stored, func(r *record.Record) []string { return []string{r.User} })
		requireDearest(t, s, q, record.GroupTag, stored, func(r *record.Record) []string { return r.Inputs.Tags })
	}
}

func requireDearest(t *testing.T, s *store.Store, q record.Query, by record.GroupBy, stored []*record.Record, groupsOf func(*record.Record) []string) {
	t.Helper()
	costs, total, ofGroups := map[string]int64{}, int64(0), int64(0)
	for _, r := range stored {
		if r.Time.Before(q.From) || !r.Time.Before(q.To) {
			continue
		}
		total += *r.Cost
		for _, group := range groupsOf(r) {
			costs[group] += *r.Cost
			ofGroups += *r.Cost
		}
	}
	values := slices.SortedFunc(maps.Keys(costs), func(a, b string) int { return cmp.Compare(costs[b], costs[a]) })
	spend, err := s.Spend(t.Context(), q, by)
	require.NoError(t, err)
	require.Equal(t, total, spend.Routed)
	listed, other := spend.Groups, int64(0)
	if len(values) > record.MaxGroups {
		require.Len(t, listed, record.MaxGroups+1)
		require.True(t, listed[record.MaxGroups].Other)
		listed, other = listed[:record.MaxGroups], listed[record.MaxGroups].Routed
	}
	require.Len(t, listed, min(len(values), record.MaxGroups))
	for n, g := range listed {
		require.Equal(t, costs[values[n]], g.Routed, "%s %d", by, n)
		require.Equal(t, costs[g.Value], g.Routed, "%s %s", by, g.Value)
		other += g.Routed
	}
	require.Equal(t, ofGroups, other, "all groups together")
}

// spendDays checks that the spend of each key and day is the sum of exactly its rows.
func spendDays(t *testing.T, s *store.Store) {
	today, tomorrow := record.DayBounds(Base())
	for n, one := range []struct {
		account, key string
		at           time.Time
		cost         int64
	}{
		{"a", "k1", today, 5}, {"a", "k1", tomorrow.Add(-time.Microsecond), 7}, {"a", "k2", today, 11}, {"a", "k1", tomorrow, 13},
		{"a", "k1", today.Add(-time.Microsecond), 17}, {"b", "k1", today, 19},
	} {
		storeSpend(t, s, n, one.account, one.key, one.at, &one.cost)
	}
	day := record.DayOfTime(Base())
	found, err := s.DailySpend(t.Context(), "a", day, day+1)
	require.NoError(t, err)
	by := func(key string, day int64) record.KeyDay {
		return record.KeyDay{Account: "a", Key: key, Day: day}
	}
	require.ElementsMatch(t, []record.Spend{
		{KeyDay: by("k1", day), NanoUSD: 12}, {KeyDay: by("k2", day), NanoUSD: 11}, {KeyDay: by("k1", day+1), NanoUSD: 13},
	}, found)
}
