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
	// maxBuckets is the maximum number of steps in a series. No screen shows more.
	maxBuckets = 2000
	// maxLatencySamples is the number of newest requests from which latency
	// percentiles are computed.
	maxLatencySamples = 20_000

	countRows = `COUNT(*)`
	countSums = `CAST(SUM(requests) AS BIGINT)`
)

// Series counts the matching requests by time step, route and outcome. Steps start
// at multiples of step since 1970. Empty steps are omitted. Steps of whole hours
// are usually cheap, because most counts come from the aggregates. The query must
// have a start, an end, and at most maxBuckets steps between them. step must be at
// least a second. Otherwise the error is INVALID_REQUEST.
func (s *Store) Series(ctx context.Context, q record.Query, step time.Duration) ([]record.Bucket, error) {
	if q.From.IsZero() || q.To.IsZero() || step < time.Second || q.To.Sub(q.From)/step > maxBuckets {
		return nil, apperr.New(apperr.InvalidRequest,
			fmt.Sprintf("a series needs a start, an end and at most %d steps of at least one second", maxBuckets)).With("param", "step")
	}
	var series []record.Bucket
	err := s.readCounts(ctx, q, step, func(at time.Time, c record.Count) {
		if n := len(series); n == 0 || !series[n-1].Start.Equal(at) {
			series = append(series, record.Bucket{Start: at})
		}
		series[len(series)-1].Add(c)
	})
	return series, err
}

// readCounts passes counts to take, ordered by time, route and outcome. The same
// time, route and outcome may occur more than once.
func (s *Store) readCounts(ctx context.Context, q record.Query, step time.Duration, take func(time.Time, record.Count)) error {
	statement, args := s.buildAggregation(q, aggregation{
		names: "route, outcome, step_number, requests", columns: "route, outcome", groupBy: "route, outcome", requestSums: countRows, aggregateSums: countSums, step: step.Microseconds(),
	})
	return s.readPageRows(ctx, statement+" SELECT * FROM parts ORDER BY step_number, route, outcome", args, func(rows *sql.Rows) error {
		var at int64
		var c record.Count
		if err := rows.Scan(&c.Route, &c.Outcome, &at, &c.Requests); err != nil {
			return err
		}
		take(time.UnixMicro(at*step.Microseconds()).UTC(), c)
		return nil
	})
}

// Figures returns exact counts of the matching requests. The latency percentiles
// cover only the newest maxLatencySamples of them.
func (s *Store) Figures(ctx context.Context, q record.Query) (record.Figures, error) {
	var f record.Figures
	err := s.readCounts(ctx, q, 24*time.Hour, func(_ time.Time, c record.Count) { f.AddCount(c) })
	if err != nil {
		return record.Figures{}, err
	}
	w := s.newWhere(q).addRange("time_us", queryRange(q))
	var gateway, ttft []int64
	err = s.readPageRows(ctx, `SELECT gateway_us, ttft_us FROM requests WHERE `+w.text.String()+
		` ORDER BY time_us DESC, id DESC LIMIT `+strconv.Itoa(maxLatencySamples), w.args, func(rows *sql.Rows) error {
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
	f.SetLatencies(gateway, ttft)
	return f, err
}

// LatencyPercentile returns a percentile of the durations of the matching served requests, in
// microseconds, and how many of them it covers: the newest maxLatencySamples.
func (s *Store) LatencyPercentile(ctx context.Context, q record.Query, percent int) (us, samples int64, err error) {
	w := s.newWhere(q).addRange("time_us", queryRange(q))
	var all []int64
	err = s.readRows(ctx, `SELECT latency_us FROM requests WHERE outcome = 'ok' AND `+w.text.String()+
		` ORDER BY time_us DESC, id DESC LIMIT `+strconv.Itoa(maxLatencySamples), w.args, func(rows *sql.Rows) error {
		var one int64
		err := rows.Scan(&one)
		all = append(all, one)
		return err
	})
	slices.Sort(all)
	return record.Percentile(all, percent), int64(len(all)), err
}
