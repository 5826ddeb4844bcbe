package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func overview(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n := range 100 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n)*10*time.Minute))
		r.Gateway, r.TTFT = int64(100-n), int64(1000+n)
		switch n % 10 {
		case 0:
			r.Route, r.TTFT = record.RouteFallback, 0
		case 1:
			r.Route = record.RoutePolicy
		case 2:
			r.Outcome = record.OutcomeError
		}
		made = append(made, r)
	}
	insert(t, s, made...)
	figures, err := s.Figures(t.Context(), all("acc"))
	require.NoError(t, err)
	require.Equal(t, record.Figures{
		Requests: 100, OK: 90, Fallback: 10, Policy: 10, LatencySamples: 100, TTFTSamples: 90,
		GatewayP50: 50, GatewayP95: 95, TTFTP95: 1095,
	}, figures)

	q := all("acc")
	q.From, q.To = Base().Add(5*time.Minute), Base().Add(15*time.Hour+25*time.Minute)
	for _, step := range []time.Duration{time.Minute, 30 * time.Minute, time.Hour, 24 * time.Hour} {
		series, err := s.Series(t.Context(), q, step)
		require.NoError(t, err)
		want := map[time.Time]map[record.Count]int64{}
		for _, r := range made {
			if r.Time.Before(q.From) || !r.Time.Before(q.To) {
				continue
			}
			at := r.Time.Truncate(step)
			if want[at] == nil {
				want[at] = map[record.Count]int64{}
			}
			want[at][record.Count{Route: r.Route, Outcome: r.Outcome}]++
		}
		got := map[time.Time]map[record.Count]int64{}
		for i, b := range series {
			require.True(t, i == 0 || b.Start.After(series[i-1].Start))
			got[b.Start] = map[record.Count]int64{}
			for _, c := range b.Counts {
				got[b.Start][record.Count{Route: c.Route, Outcome: c.Outcome}] = c.Requests
			}
		}
		require.Equal(t, want, got, step)
	}
	_, err = s.Series(t.Context(), q, time.Second)
	require.True(t, apperr.Is(err, apperr.InvalidRequest), err)
	_, err = s.Series(t.Context(), all("acc"), time.Hour)
	require.True(t, apperr.Is(err, apperr.InvalidRequest), err)
	empty, err := s.Figures(t.Context(), all("nobody"))
	require.NoError(t, err)
	require.Zero(t, empty)
}
