package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// The migration that adds daily groups fills them from the stored requests.
func TestMigrationFillsDailyGroups(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, again func() *store.Store) {
		var all []*record.Record
		for n := range 40 {
			r := storetest.Make("acc", n)
			storetest.At(r, storetest.Base().Add(time.Duration(n)*5*time.Hour))
			r.Agent, r.User, r.Session = fmt.Sprint("agent-", n%3), fmt.Sprint("user-", n%4), fmt.Sprint("session-", n/3)
			if n%5 > 0 {
				r.Inputs = &record.DecisionInputs{Tags: []string{fmt.Sprint("tag-", n%2), "all", "all"}}
			}
			if n%7 == 0 {
				r.Cost = nil
			}
			all = append(all, r)
		}
		require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
		requireGroups(t, s)
		for _, statement := range []string{"DROP TABLE group_daily", "DROP INDEX IF EXISTS requests_label_names", "DELETE FROM migrations WHERE number >= 13"} {
			require.NoError(t, s.Exec(t.Context(), statement))
		}
		requireGroups(t, again())
	})
}
