package store_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestFailuresAreReadFromTheirIndex checks that Postgres uses index-only scans to
// search failures and to sum them up.
func TestFailuresAreReadFromTheirIndex(t *testing.T) {
	url := migrated.Postgres(t)
	s := storetest.Open(t, url)
	var batch record.Batch
	for n := range 4000 {
		r := now(n)
		if r.Time = time.Now().UTC(); n%50 == 0 {
			r.Outcome, r.Code, r.Error = record.OutcomeError, "PROVIDER_TIMEOUT", fmt.Sprint("gave up after ", n)
		}
		batch.Records = append(batch.Records, r)
	}
	require.NoError(t, s.Insert(t.Context(), batch))
	vacuum(t, url)
	q := record.Query{Account: "acc", From: time.Now().AddDate(0, -1, 0), To: time.Now().Add(time.Hour)}
	index := "Index Only Scan using " + day("requests", 0) + "_account_id_code"
	plan, err := s.ExplainFailures(t.Context(), q, "after 50")
	require.NoError(t, err)
	require.Contains(t, plan, index)
	q.Terms, err = record.ParseFilter("has:error")
	require.NoError(t, err)
	plan, err = s.ExplainImpact(t.Context(), q)
	require.NoError(t, err)
	require.Contains(t, plan, index)
}

// TestLongestTextsFitIndexes checks that the longest texts stay below the index
// limits and are found.
func TestLongestTextsFitIndexes(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		random := rand.New(rand.NewPCG(1, 1))
		noise := func(size int) string {
			var b strings.Builder
			for b.Len() < size {
				b.WriteByte(byte('!' + random.IntN(94))) // incompressible
			}
			return b.String()
		}
		r := storetest.Make(noise(256), 1)
		r.KeyID, r.KeyName, r.RequestedModel, r.Model, r.Provider = noise(5000), noise(5000), noise(5000), noise(5000), noise(5000)
		r.BaselineModel, r.PolicyVersion, r.ClientRequestID, r.Reason.Code = noise(5000), noise(5000), noise(5000), noise(5000)
		r.Outcome, r.Code, r.Error = record.OutcomeClientClosed, noise(5000), "needle "+noise(5000)
		require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}))
		terms, err := record.ParseFilter("needle has:error")
		require.NoError(t, err)
		page, err := s.Page(t.Context(), record.Query{Account: r.AccountID, Terms: terms}, nil, 10)
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		require.True(t, strings.HasPrefix(r.Error, page.Items[0].Error) && len(page.Items[0].Error) > 500, "the record has more")
		for _, account := range []string{noise(257), strings.Repeat("\x00", 90)} {
			r := storetest.Make(account, 2)
			require.ErrorIs(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}), record.ErrRejected)
		}
	})
}
