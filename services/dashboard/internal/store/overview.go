package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxBuckets bounds a series; it is more than a screen is wide.
	maxBuckets = 2000
	// maxMeasured is how many of the newest rows spans are taken from.
	maxMeasured = 20_000

	countRows = `COUNT(*)`
	countSums = `CAST(SUM(requests) AS BIGINT)`
)

// Series counts what a query finds by route and outcome, in steps of time since
// 1970. Steps in which there is nothing are left out. Steps of whole hours are
// cheap, shorter ones are for short spans. The query must have both ends, and
// no more than 2000 steps between them; else it is INVALID_REQUEST.
func (s *Store) Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error) {
	if q.From.IsZero() || q.To.IsZero() || step < time.Second || q.To.Sub(q.From)/step > maxBuckets {
		return nil, apperr.New(apperr.InvalidRequest,
			fmt.Sprintf("a series has two ends and at most %d steps of a second or more", maxBuckets)).With("param", "step")
	}
	var series []record.Bucket
	err := s.counts(ctx, q, step, func(at time.Time, c record.Count) {
		if n := len(series); n == 0 || !series[n-1].Start.Equal(at) {
			series = append(series, record.Bucket{Start: at})
		}
		series[len(series)-1].Add(c)
	})
	return series, err
}

// counts hands over counts by time, route and outcome, in this order. The same
// may come more than once.
func (s *Store) counts(ctx context.Context, q record.Query, step time.Duration, take func(time.Time, record.Count)) error {
	statement, args := s.parts(q, total{
		columns: "route, outcome", keys: "route, outcome", rows: countRows, sums: countSums, step: step.Microseconds(),
	})
	return s.each(ctx, statement+" ORDER BY of_time, route, outcome", args, func(rows *sql.Rows) error {
		var at int64
		var c record.Count
		if err := rows.Scan(&c.Route, &c.Outcome, &at, &c.Requests); err != nil {
			return err
		}
		take(time.UnixMicro(at*step.Microseconds()).UTC(), c)
		return nil
	})
}

// Figures are exact, but for the spans, which come from the newest 20,000
// records that the query finds.
func (s *Store) Figures(ctx context.Context, q record.Query) (record.Figures, error) {
	var f record.Figures
	err := s.counts(ctx, q, 24*time.Hour, func(_ time.Time, c record.Count) { f.Count(c) })
	if err != nil {
		return record.Figures{}, err
	}
	w := s.of(q).within("time_us", spanOf(q))
	var gateway, ttft []int64
	err = s.each(ctx, `SELECT gateway_us, ttft_us FROM requests WHERE `+w.text.String()+
		` ORDER BY time_us DESC, id DESC LIMIT `+strconv.Itoa(maxMeasured), w.args, func(rows *sql.Rows) error {
		var g, t int64
		if err := rows.Scan(&g, &t); err != nil {
			return err
		}
		if gateway = append(gateway, g); t > 0 {
			ttft = append(ttft, t)
		}
		return nil
	})
	slices.Sort(gateway)
	slices.Sort(ttft)
	f.Measure(gateway, ttft)
	return f, err
}
