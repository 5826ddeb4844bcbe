package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// labelSets are the tags and metadata of requests, by the day before the newest one.
var labelSets = []*record.DecisionInputs{
	{Tags: []string{"all", "one"}, Metadata: map[string]string{"team": "a", "ticket": "1"}},
	{Tags: []string{"all"}, Metadata: map[string]string{"team": "b"}},
	nil,
	{Tags: []string{"one"}},
	{Tags: []string{"all"}, Metadata: map[string]string{"team": "c", "ticket": "2"}},
	{Metadata: map[string]string{"ticket": "3"}},
	{Tags: []string{"all", "one"}, Metadata: map[string]string{"team": "a", "ticket": "4"}},
}

// Requests without a label are found in every day, and requests of other accounts are not.
func TestRequestsWithoutALabelAreFound(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		// A search reads the newest hour in order.
		insertMany(t, s, 1, storetest.Base().AddDate(0, 0, 1), func(r *record.Record) { r.Inputs.Tags = []string{"none"} })
		for day, inputs := range labelSets {
			insertMany(t, s, 4, storetest.Base().AddDate(0, 0, -day), func(r *record.Record) { r.Inputs = inputs })
			insertMany(t, s, 1, storetest.Base().AddDate(0, 0, -day), func(r *record.Record) { r.AccountID = "other" })
		}
		for text, days := range map[string][]int{
			"-tag:*": {2, 5}, "-tag:all": {2, 3, 5}, "-tag:a*": {2, 3, 5}, "-tag:all -tag:one": {2, 5}, "-meta.team:*": {2, 3, 5}, "-meta.ticket:*": {1, 2, 3},
			"-tag:one tag:all": {1, 4}, "-tag:one meta.ticket:*": {4, 5}, "-meta.ticket:1": {1, 2, 3, 4, 5, 6}, "-meta.ticket:1 tag:one": {3, 6}, "-tag:none -meta.ticket:4": {0, 1, 2, 3, 4, 5}, "-meta.ticket:* meta.team:b": {1},
			"-tag:none": {0, 1, 2, 3, 4, 5, 6}, "-tag:* -meta.ticket:*": {2}, "-tag:all -tag:one -meta.ticket:3 -user:x": {2},
		} {
			terms, err := record.ParseFilter(text)
			require.NoError(t, err, text)
			found := map[int]int{}
			page, err := s.Page(t.Context(), record.Query{Account: "acc", Terms: terms}, nil, 50)
			require.NoError(t, err)
			for _, r := range slices.DeleteFunc(page.Items, func(r record.Record) bool { return r.Inputs != nil && slices.Contains(r.Inputs.Tags, "none") }) {
				require.Equal(t, "acc", r.AccountID)
				found[int(storetest.Base().Add(time.Hour).Sub(r.Time)/(24*time.Hour))]++
			}
			want := map[int]int{}
			for _, day := range days {
				want[day] = 4
			}
			require.Equal(t, want, found, text)
		}
	})
}

// Searches for requests without a label use the index of names, unless an account uses so many sets
// of names that finding them takes too long.
func TestSetsOfNamesAreLookedUp(t *testing.T) {
	s := storetest.Open(t, migrated.Postgres(t))
	at := time.Now().UTC().Truncate(time.Millisecond).Add(-time.Hour)
	add := func(n int) {
		number := 0
		insertMany(t, s, n, at, func(r *record.Record) {
			number++
			r.Inputs.Tags = append(r.Inputs.Tags, fmt.Sprint("tag-", number))
		})
	}
	terms, err := record.ParseFilter("-tag:tag-7")
	require.NoError(t, err)
	statement := func() (string, []any) {
		text, args, err := s.MatchStatement(t.Context(), record.Query{Account: "acc", From: at.Add(-time.Hour), To: at.Add(time.Hour), Terms: terms})
		require.NoError(t, err)
		return text, args
	}
	s.LimitNameSets(time.Minute) // for a busy machine
	add(store.MaxNameSets)
	text, args := statement()
	require.Contains(t, text, "hashtextextended")
	require.Len(t, args[len(args)-1], store.MaxNameSets-1)
	require.Equal(t, store.MaxNameSets-1, len(foundIDs(t, s, terms...)))
	s.LimitNameSets(time.Nanosecond) // slow: the search reads every request instead
	text, _ = statement()
	require.NotContains(t, text, "hashtextextended")
	require.Equal(t, store.MaxNameSets-1, len(foundIDs(t, s, terms...)))
	s.LimitNameSets(time.Minute)
	add(store.MaxNameSets + 1)
	text, _ = statement()
	require.NotContains(t, text, "hashtextextended")
	require.Equal(t, 2*store.MaxNameSets-1, len(foundIDs(t, s, terms...)))
}
