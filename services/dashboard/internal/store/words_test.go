package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// oddValues are values that are hard to quote, or whose starts are hard to compare. No value is
// the start of another one.
var oddValues = []string{
	`plain`, `it's`, `back\slash`, `ends with \`, `"quoted"`, `a": "b`, `c", "d`, `{}`, `%_`, `é`, `ê`, "z\U0010FFFF", "\uD7FFx", "\U0010FFFF!", `A`, `a b & !c | d:*`,
}

// Values are found by equality, by prefix and by negation however odd they are. The requests
// are days apart, so that the search reads wide windows by index.
func TestOddWordsAreFound(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		var batch record.Batch
		for n, value := range oddValues {
			r := storetest.Make("acc", n)
			storetest.At(r, storetest.Base().Add(-time.Duration(n)*30*time.Hour))
			r.Session, r.User, r.Agent, r.Reason.Rule = value, value, value, value
			r.Inputs = &record.DecisionInputs{Tags: []string{value, "all"}, Metadata: map[string]string{"x": value, value: "name"}}
			batch.Records = append(batch.Records, r)
		}
		require.NoError(t, s.Insert(t.Context(), batch))
		for n, value := range oddValues {
			for _, field := range []record.Field{record.BySession, record.ByUser, record.ByAgent, record.ByRule, record.ByTag, "meta.x"} {
				runes := []rune(value)
				whole := record.Test{Op: record.Prefix, Text: value}
				for _, test := range []record.Test{whole, {Op: record.Equal, Text: value}, {Op: record.Prefix, Text: string(runes[:len(runes)/2+1])}} {
					require.Equal(t, []string{batch.Records[n].ID.String()}, foundIDs(t, s, record.Term{Field: field, Tests: []record.Test{test}}), "%s %v", field, test)
					if test == whole {
						continue // negations read all windows; that of a shorter prefix is enough
					}
					require.Len(t, foundIDs(t, s, record.Term{Field: field, Not: true, Tests: []record.Test{test}}), len(oddValues)-1, "-%s %v", field, test)
				}
			}
			require.Len(t, foundIDs(t, s, record.Term{Field: record.Field("meta." + value), Tests: []record.Test{{Op: record.Any}}}), 1, value)
		}
	})
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "ab": "ac", "\uD7FF": "\uE000", "a\U0010FFFF": "b", "\U0010FFFF": "", "": ""} {
		require.Equal(t, want, store.PrefixEnd(prefix), prefix)
	}
}

// foundIDs reads all pages. On a busy machine, a search may return before it has read everything.
func foundIDs(t *testing.T, s *store.Store, terms ...record.Term) (ids []string) {
	t.Helper()
	for next := (*record.Cursor)(nil); ; {
		page, err := s.Page(t.Context(), record.Query{Account: "acc", Terms: terms}, next, 50)
		require.NoError(t, err)
		for _, r := range page.Items {
			ids = append(ids, r.ID.String())
		}
		if next = page.Next; next == nil {
			return ids
		}
	}
}

// A wide window is read by an index of the word, also for a prefix and for requests without a
// value.
func TestPostgresHasAnIndexForEachWord(t *testing.T) {
	url := migrated.Postgres(t)
	s := storetest.Open(t, url)
	var batch record.Batch
	for n := range 2000 {
		r := now(n)
		r.ID, r.Session, r.User, r.Agent, r.Reason.Rule = uuid.Must(uuid.NewV7()), fmt.Sprint(n/40), "usual", "usual", "usual"
		r.Inputs = &record.DecisionInputs{Tags: []string{"usual"}, Metadata: map[string]string{"team": "usual"}}
		batch.Records = append(batch.Records, r)
	}
	require.NoError(t, s.Insert(t.Context(), batch))
	vacuum(t, url)
	const origin = "account_id_agent_rule_endpoint_protocol"
	for _, w := range []struct{ index, word string }{
		{"account_id_session", "session"}, {"account_id_end_user", "user"}, {origin, "agent"}, {origin, "rule"}, {origin, "endpoint"},
		{"array_to_tsvector", "tag"}, {"array_to_tsvector", "meta.team"},
	} {
		filters := []string{w.word + ":x", w.word + ":x*"}
		if w.word == "session" { // free text finds the session with exactly this id
			filters = append(filters, "x")
		}
		if w.index != "array_to_tsvector" { // nothing indexes which labels a request does not have
			filters = append(filters, "-"+w.word+":*")
		}
		for _, text := range filters {
			terms, err := record.ParseFilter(text)
			require.NoError(t, err)
			plan, err := s.ExplainMatches(t.Context(), record.Query{Account: "acc", Terms: terms})
			require.NoError(t, err)
			require.Contains(t, plan, w.index, text)
		}
	}
}
