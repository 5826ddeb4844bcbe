package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// edges checks that totals are exact for any start and end within a day or an
// hour, also around 1970, and that series with steps of any length add up to
// the totals.
func edges(t *testing.T, s *store.Store) {
	for i, day := range []time.Time{Base().Truncate(24 * time.Hour), time.Unix(0, 0).UTC()} {
		var made []*record.Record
		bounds := []time.Time{{}} // zero means unbounded
		for n, d := range []time.Duration{
			-48 * time.Hour, -24*time.Hour - time.Microsecond, -24 * time.Hour, -time.Hour, -time.Microsecond, 0, time.Microsecond,
			90 * time.Minute, 24*time.Hour - time.Microsecond, 24 * time.Hour, 47 * time.Hour, 48 * time.Hour,
		} {
			r := Make(day.Format(time.DateOnly), 100*i+n)
			r.Time, r.Cost, r.BaselineCost = day.Add(d), Nano(1_500_000_000<<n), Nano(7+int64(n))
			made, bounds = append(made, r), append(bounds, r.Time)
		}
		insert(t, s, made...)
		for _, from := range bounds {
			for _, to := range bounds {
				if to.IsZero() || !to.Before(from) {
					requireEdges(t, s, record.Query{Account: made[0].AccountID, From: from, To: to}, made)
				}
			}
		}
	}
}

func requireEdges(t *testing.T, s *store.Store, q record.Query, made []*record.Record) {
	t.Helper()
	name := fmt.Sprintf("from %s to %s", q.From, q.To)
	want := map[string]*bigSums{"": {}}
	for _, r := range made {
		if !r.Time.Before(q.From) && (q.To.IsZero() || r.Time.Before(q.To)) {
			add(want, r, record.GroupDay, record.SeriesStep(q))
		}
	}
	requireTotals(t, s, name, q, record.GroupDay, want)
	if q.From.IsZero() || q.To.IsZero() {
		return
	}
	for _, step := range []time.Duration{time.Hour, 24 * time.Hour, 36 * time.Hour, 48 * time.Hour} {
		series, err := s.Series(t.Context(), q, step)
		require.NoError(t, err, name)
		var requests int64
		for _, bucket := range series {
			require.Zero(t, bucket.Start.UnixMicro()%step.Microseconds(), name)
			for _, c := range bucket.Counts {
				requests += c.Requests
			}
		}
		require.Equal(t, want[""].requests, requests, name)
	}
}
