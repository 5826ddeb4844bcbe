package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// groupColumns are what groups have in common, and their names for people.
var groupColumns = map[record.GroupBy][2]string{
	"":                         {"''", "''"},
	record.GroupDay:            {"''", "''"},
	record.GroupModel:          {"model", "''"},
	record.GroupProvider:       {"provider", "''"},
	record.GroupRoute:          {"route", "''"},
	record.GroupRequestedModel: {"requested_model", "''"},
	record.GroupCode:           {"code", "''"},
	record.GroupKey:            {"key_id", "key_name"},
}

// Money is added up in two parts, dollars and the rest, as the sum of all may
// be more than a column holds and then the database refuses to answer.
const (
	rowSums = `COUNT(*),
	COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
	COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)`
	sumSums = `CAST(SUM(requests) AS BIGINT), CAST(SUM(unpriced) AS BIGINT),
	CAST(SUM(routed_usd) AS BIGINT), CAST(SUM(routed_nano) AS BIGINT),
	CAST(SUM(baseline_usd) AS BIGINT), CAST(SUM(baseline_nano) AS BIGINT),
	CAST(SUM(kept_usd) AS BIGINT), CAST(SUM(kept_nano) AS BIGINT)`
)

// Impact adds up the records a query finds. Totals, groups and series come
// from one statement, so they agree whatever is being stored meanwhile; where
// the sums know all that is asked for, the statement takes whole days and hours
// from them and only the edges from the rows.
func (s *Store) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	step := record.SeriesStep(q)
	statement, args := s.parts(q, impactTotal(by, step))
	sums := record.NewBreakdown(by, step)
	err := s.each(ctx, statement+" ORDER BY of_group", args, func(rows *sql.Rows) error { return scanSums(rows, sums) })
	if err != nil {
		return record.Impact{}, err
	}
	return sums.Impact(), nil
}

func impactTotal(by record.GroupBy, step time.Duration) total {
	group := groupColumns[by]
	return total{
		by: by, columns: group[0] + " AS of_group, MAX(" + group[1] + ")", keys: "of_group",
		rows: rowSums, sums: sumSums, step: step.Microseconds(),
	}
}

func scanSums(rows *sql.Rows, sums *record.Breakdown) error {
	var value, name string
	var step int64
	var s record.Parts
	err := rows.Scan(&value, &name, &step, &s.Requests, &s.Unpriced, &s.Routed.Dollars, &s.Routed.Nano,
		&s.Baseline.Dollars, &s.Baseline.Nano, &s.Kept.Dollars, &s.Kept.Nano)
	if err != nil {
		return err
	}
	sums.Add(value, name, step, s)
	return nil
}
