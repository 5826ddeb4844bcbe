package store

import (
	"context"
	"database/sql"

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
	record.GroupKey:            {"key_id", "key_name"},
}

// sums adds up money in two parts, dollars and the rest, as the sum of all may
// be more than a column holds and then the database refuses to answer.
const sums = `, time_us / 86400000000 AS of_day, COUNT(*),
	COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
	COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)
	FROM requests WHERE `

// Impact adds up the records a query finds. Totals, groups and series come
// from one statement, so they agree whatever is being stored meanwhile.
func (s *Store) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	group, w := groupColumns[by], newWhere(q)
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+group[0]+` AS of_group, MAX(`+group[1]+`)`+sums+w.text.String()+
		` GROUP BY of_group, of_day ORDER BY of_group`, w.args...)
	if err != nil {
		return record.Impact{}, unavailable(err)
	}
	defer func() { _ = rows.Close() }()
	tally := record.NewTally(by)
	for rows.Next() {
		if err := scanSums(rows, tally); err != nil {
			return record.Impact{}, unavailable(err)
		}
	}
	if err := rows.Err(); err != nil {
		return record.Impact{}, unavailable(err)
	}
	return tally.Impact(), nil
}

func scanSums(rows *sql.Rows, tally *record.Tally) error {
	var value, name string
	var day int64
	var s record.Sums
	var routed, baseline, kept [2]int64
	err := rows.Scan(&value, &name, &day, &s.Requests, &s.Unpriced,
		&routed[0], &routed[1], &baseline[0], &baseline[1], &kept[0], &kept[1])
	if err != nil {
		return err
	}
	s.Routed = record.NanoUSD(routed[0], routed[1])
	s.Baseline = record.NanoUSD(baseline[0], baseline[1])
	s.Kept = record.NanoUSD(kept[0], kept[1])
	tally.Add(value, name, day, s)
	return nil
}
