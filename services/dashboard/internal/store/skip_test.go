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

// insertMany stores n requests that are one millisecond apart. add completes a request.
func insertMany(t *testing.T, s *store.Store, n int, at time.Time, add func(r *record.Record)) {
	t.Helper()
	var batch record.Batch
	for i := range n {
		r := storetest.Make("acc", i)
		r.ID = uuid.Must(uuid.NewV7())
		storetest.At(r, at.Add(time.Duration(i)*time.Millisecond))
		r.Inputs = &record.DecisionInputs{Tags: []string{"all"}}
		add(r)
		batch.Records = append(batch.Records, r)
	}
	require.NoError(t, s.Insert(t.Context(), batch))
}

// A window with more matches than an unordered read returns is searched from its newest part that
// has a match, also if that part is old and matches are far apart.
func TestManyOldMatchesAreFoundInOrder(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		newest, old := storetest.Base(), storetest.Base().AddDate(0, 0, -9)
		insertMany(t, s, 3, newest, func(*record.Record) {})
		insertMany(t, s, 1100, old, func(r *record.Record) { r.Inputs.Metadata = map[string]string{"ticket": "T-7"} })
		insertMany(t, s, 1, old.Add(5*time.Hour), func(r *record.Record) { r.Inputs.Metadata = map[string]string{"ticket": "T-71"} })
		insertMany(t, s, 1100, old.AddDate(0, 0, -2), func(r *record.Record) { r.Inputs.Metadata = map[string]string{"ticket": "T-7"} })
		terms, err := record.ParseFilter("meta.ticket:T-7*")
		require.NoError(t, err)
		page, err := s.Page(t.Context(), record.Query{Account: "acc", Terms: terms}, nil, 50)
		require.NoError(t, err)
		require.Len(t, page.Items, 50)
		require.Equal(t, "T-71", page.Items[0].Inputs.Metadata["ticket"])
		for i, r := range page.Items[1:] {
			require.Equal(t, old.Add(time.Duration(1099-i)*time.Millisecond), r.Time)
		}
		require.Equal(t, 2201, len(foundIDs(t, s, terms...)))
	})
}

// A frequent label does not keep the search from the index of a rare word. The choice of the index
// does not change what is found.
func TestFrequentLabelsAreNotLookedUp(t *testing.T) {
	s := storetest.Open(t, migrated.Postgres(t))
	at := time.Now().UTC().Truncate(time.Millisecond).Add(-time.Hour)
	insertMany(t, s, 300, at, func(r *record.Record) {
		if r.Inputs.Metadata = map[string]string{"team": "a"}; r.Time.Equal(at) {
			r.User, r.Inputs.Tags = "rare", append(r.Inputs.Tags, "rare")
		}
	})
	for text, word := range map[string]string{
		"tag:all": "tag.all", "tag:all meta.team:a": "tag.all", "tag:all user:rare": "", "tag:all meta.team:a user:rare": "",
		"meta.team:a tag:rare": "tag.rare", "tag:all meta.team:b user:rare": "meta.team", "tag:all -user:rare": "tag.all",
	} {
		terms, err := record.ParseFilter(text)
		require.NoError(t, err)
		statement, args, err := s.MatchStatement(t.Context(), record.Query{Account: "acc", From: at.Add(-time.Hour), To: at.Add(time.Hour), Terms: terms})
		require.NoError(t, err)
		if word == "" {
			require.NotContains(t, statement, "tsquery", text)
			continue
		}
		require.Contains(t, fmt.Sprint(args[len(args)-1]), word, text)
		require.Contains(t, statement, "tsquery", text)
	}
	for text, want := range map[string]int{"tag:all meta.team:a user:rare": 1, "meta.team:a tag:rare": 1, "tag:all meta.team:b user:rare": 0, "tag:all -user:rare": 299} {
		terms, err := record.ParseFilter(text)
		require.NoError(t, err)
		require.Equal(t, want, len(foundIDs(t, s, terms...)), text)
	}
}

// Metadata that looks like the JSON text of a tag is no tag.
func TestRequestsWithoutTagsAreFound(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		insertMany(t, s, 2, storetest.Base(), func(*record.Record) {})
		for i, text := range []string{`, "tag.x`, `{"tag.x": "`, `tag.x`, `", "tag.x": "`, `\`, `\", "tag.x`} {
			insertMany(t, s, 1, storetest.Base().Add(-time.Duration(i+1)*time.Minute), func(r *record.Record) {
				r.Inputs = &record.DecisionInputs{Metadata: map[string]string{"x": text, text: "x", "y": text}}
			})
		}
		for text, want := range map[string]int{"tag:*": 2, "-tag:*": 6} {
			terms, err := record.ParseFilter(text)
			require.NoError(t, err)
			require.Equal(t, want, len(foundIDs(t, s, terms...)), text)
		}
	})
}
