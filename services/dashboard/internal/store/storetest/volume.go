package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// volumes checks the requests and the tokens of each group.
func volumes(t *testing.T, s *store.Store) {
	var stored []*record.Record
	for n := range 40 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n)*50*time.Minute))
		r.Model, r.Agent, r.User, r.Session = model(n%4), fmt.Sprint("agent-", n%3), fmt.Sprint("user-", n%5), fmt.Sprint("session-", n/6)
		r.Inputs = &record.DecisionInputs{Tags: []string{"all", fmt.Sprint("tag-", n%2)}}
		r.Tokens = record.Tokens{Input: int64(100 + n), CacheRead: int64(7 * n), CacheWrite: int64(n), Output: int64(10 + n%9)}
		stored = append(stored, r)
	}
	insert(t, s, append(stored, Make("other", 1))...)
	for by, groupsOf := range map[record.GroupBy]func(*record.Record) []string{
		record.GroupModel:   func(r *record.Record) []string { return []string{r.Model} },
		record.GroupAgent:   func(r *record.Record) []string { return []string{r.Agent} },
		record.GroupUser:    func(r *record.Record) []string { return []string{r.User} },
		record.GroupSession: func(r *record.Record) []string { return []string{r.Session} },
		record.GroupTag:     func(r *record.Record) []string { return r.Inputs.Tags },
	} {
		for _, m := range []record.Measure{record.MeasureRequests, record.MeasureTokens} {
			requireVolume(t, s, by, m, stored, groupsOf)
		}
	}
}

func requireVolume(t *testing.T, s *store.Store, by record.GroupBy, m record.Measure, stored []*record.Record, groupsOf func(*record.Record) []string) {
	t.Helper()
	total, groups := int64(0), map[string]int64{}
	for _, r := range stored {
		n := int64(1)
		if m == record.MeasureTokens {
			n = r.Tokens.Input + r.Tokens.CacheRead + r.Tokens.CacheWrite + r.Tokens.Output
		}
		total += n
		for _, group := range groupsOf(r) {
			groups[group] += n
		}
	}
	found, err := s.Volume(t.Context(), record.Query{Account: "acc", From: Base().Add(-time.Minute), To: Base().AddDate(0, 0, 20)}, by, m)
	require.NoError(t, err, "%s %s", by, m)
	require.Equal(t, total, found.Routed, "%s %s", by, m)
	got := map[string]int64{}
	for _, g := range found.Groups {
		got[g.Value] = g.Routed
	}
	require.Equal(t, groups, got, "%s %s", by, m)
}
