package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// facets: values are counted by field, most frequent first, among the requests of a filter and a range.
func facets(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n := range 40 {
		r := Make("acc", n)
		r.Stream, r.Agent, r.Session = n%4 == 0, []string{"codex", "Claude-Code", ""}[n%3], fmt.Sprint("s-", n)
		r.Inputs = &record.DecisionInputs{Tags: []string{"prod", fmt.Sprint("team-", n%2)}, Metadata: map[string]string{"purpose": []string{"batch", "chat"}[n%2]}}
		if n%4 == 0 {
			r.Model, r.Status, r.Outcome, r.Route, r.Code = "large", 502, record.OutcomeError, "", "PROVIDER_ERROR"
		}
		if n == 39 {
			At(r, Base().AddDate(0, 0, -3))
		}
		made = append(made, r)
	}
	insert(t, s, made...)
	insert(t, s, Make("other", 1))
	for _, c := range []struct{ field, text, filter, want string }{
		{"model", "", "", "small 29, large 10"},
		{"model", "AR", "", "large 10"},
		{"model", "", "model:large", "small 29, large 10"}, // a further value is an alternative
		{"model", "", "-model:large", "small 29"},
		{"model", "", "agent:codex", "small 9, large 4"},
		{"key", "", "model:large", "prod 10"},
		{"status", "", "", "200 29, 502 10"},
		{"status", "5", "", "502 10"},
		{"stream", "", "", "false 29, true 10"},
		{"route", "", "", "expected 29"},
		{"outcome", "", "route:expected", "ok 29"},
		{"code", "", "", "PROVIDER_ERROR 10"},
		{"agent", "", "", "Claude-Code 13, codex 13"},
		{"agent", "cla", "stream:true", "Claude-Code 3"},
		{"session", "s-11", "", "s-11 1"},
		{"tag", "", "", "prod 39, team-0 20, team-1 19"},
		{"tag", "team", "stream:true", "team-0 10"},
		{"meta", "", "", "purpose 39"},
		{"meta.purpose", "", "", "batch 20, chat 19"},
		{"meta.none", "", "", ""},
		{"model", "none", "", ""},
	} {
		q := filter(t, "acc", c.filter)
		q.From, q.To = Base(), Base().Add(time.Hour)
		require.True(t, record.HasFacets(record.Field(c.field)), c.field)
		found, err := s.Facets(t.Context(), record.NewFacetQuery(q, record.Field(c.field), c.text, 3))
		require.NoError(t, err, c)
		require.False(t, found.Sampled, c)
		got := ""
		for i, v := range found.Values {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprint(v.Value, " ", v.Requests)
		}
		require.Equal(t, c.want, got, c)
	}
	few, err := s.Facets(t.Context(), record.NewFacetQuery(all("acc"), record.BySession, "", 3))
	require.NoError(t, err)
	require.Len(t, few.Values, 3)
	for _, field := range []record.Field{record.ByCost, record.ByID, record.ByText, record.ByMetadata, "meta.", "nope"} {
		require.False(t, record.HasFacets(field), field)
	}
}
