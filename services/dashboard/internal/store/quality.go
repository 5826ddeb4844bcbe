package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
)

const (
	evidenceRange = ` FROM evidence WHERE account_id = $1 AND request_us >= $2 AND request_us < $3 AND kind `
	sumFeedback   = `SELECT model, task, COUNT(*), SUM(score), SUM(score * score) FROM (
		SELECT model, task, CAST(SUM(score * weight) AS DOUBLE PRECISION) / SUM(weight) / 1000 AS score` + evidenceRange + `= 'feedback' AND weight > 0
		GROUP BY request_id, model, task) AS rated GROUP BY model, task`
	sumFlagged = `SELECT model, task, COUNT(*), CAST(SUM(weight) AS DOUBLE PRECISION) / 1000 FROM (
		SELECT model, task, MAX(weight) AS weight` + evidenceRange + `<> 'feedback'
		GROUP BY request_id, model, task) AS flagged GROUP BY model, task`
	countSignals   = `SELECT model, task, kind, COUNT(*)` + evidenceRange + `<> 'feedback' GROUP BY model, task, kind`
	countResponses = `SELECT model, task, CAST(SUM(responses) AS BIGINT) FROM quality_daily
		WHERE account_id = $1 AND day >= $2 AND day < $3 GROUP BY model, task`
)

// Quality sums up the evidence about the requests of an account, by model and kind of task.
// The range consists of whole days (UTC): it begins with the day of from and ends before
// the day of to. Segments are sorted by their names.
func (s *Store) Quality(ctx context.Context, account string, from, to time.Time) ([]quality.Sums, error) {
	first, end := dayOf(from), dayOf(to)
	found := map[quality.Segment]*quality.Sums{}
	at := func(k quality.Segment) *quality.Sums {
		if found[k] == nil {
			found[k] = &quality.Sums{Segment: k, Signals: map[evidence.Kind]int64{}}
		}
		return found[k]
	}
	inEvidence := []any{account, first * dayMicros, end * dayMicros}
	for _, q := range []struct {
		statement string
		args      []any
		scan      func(*sql.Rows) error
	}{
		{countResponses, []any{account, first, end}, func(rows *sql.Rows) error {
			var k quality.Segment
			var n int64
			err := rows.Scan(&k.Model, &k.Task, &n)
			at(k).Responses = n
			return err
		}},
		{sumFeedback, inEvidence, func(rows *sql.Rows) error {
			var one quality.Sums
			err := rows.Scan(&one.Model, &one.Task, &one.Rated.N, &one.Rated.Sum, &one.Rated.Squares)
			at(one.Segment).Rated = one.Rated
			return err
		}},
		{sumFlagged, inEvidence, func(rows *sql.Rows) error {
			var one quality.Sums
			err := rows.Scan(&one.Model, &one.Task, &one.Flagged, &one.FlaggedWeight)
			to := at(one.Segment)
			to.Flagged, to.FlaggedWeight = one.Flagged, one.FlaggedWeight
			return err
		}},
		{countSignals, inEvidence, func(rows *sql.Rows) error {
			var k quality.Segment
			var kind evidence.Kind
			var n int64
			err := rows.Scan(&k.Model, &k.Task, &kind, &n)
			at(k).Signals[kind] = n
			return err
		}},
	} {
		if err := s.readPageRows(ctx, q.statement, q.args, q.scan); err != nil {
			return nil, err
		}
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b quality.Segment) int {
		if c := strings.Compare(a.Model, b.Model); c != 0 {
			return c
		}
		return strings.Compare(a.Task, b.Task)
	})
	var all []quality.Sums
	for _, k := range keys {
		all = append(all, *found[k])
	}
	return all, nil
}

// dayOf returns the day of a time, in days since 1970.
func dayOf(t time.Time) int64 { return t.UTC().Unix() / (24 * 60 * 60) }
