package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// groupColumns holds two columns per grouping: the value and the display name.
var groupColumns = map[record.GroupBy][2]string{
	"":                         {"''", "''"},
	record.GroupDay:            {"''", "''"},
	record.GroupModel:          {"model", "''"},
	record.GroupProvider:       {"provider", "''"},
	record.GroupRoute:          {"route", "''"},
	record.GroupRequestedModel: {"requested_model", "''"},
	record.GroupCode:           {"code", "''"},
	record.GroupProtocol:       {"protocol", "''"},
	record.GroupAgent:          {"agent", "''"},
	record.GroupSession:        {"session", "''"},
	record.GroupUser:           {"end_user", "''"},
	record.GroupRule:           {"rule", "''"},
	record.GroupEndpoint:       {"endpoint", "''"},
	record.GroupKey:            {"key_id", "key_name"},
}

// Money is summed in two parts, dollars and nano-dollars, because a total in
// nano-dollars can overflow a column and fail the query.
const (
	requestSumColumns = `COUNT(*),
	COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END),
	COALESCE(CAST(SUM(cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(cost_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000) AS BIGINT), 0),
	COALESCE(CAST(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000) AS BIGINT), 0)`
	aggregateSumColumns = `CAST(SUM(requests) AS BIGINT), CAST(SUM(unpriced) AS BIGINT),
	CAST(SUM(routed_usd) AS BIGINT), CAST(SUM(routed_nano) AS BIGINT),
	CAST(SUM(baseline_usd) AS BIGINT), CAST(SUM(baseline_nano) AS BIGINT),
	CAST(SUM(saved_usd) AS BIGINT), CAST(SUM(saved_nano) AS BIGINT)`
	groupRowColumns = `requests, unpriced, routed_usd, routed_nano, baseline_usd, baseline_nano, saved_usd, saved_nano`
)

// Impact sums up the records that match a query. Totals, groups and series come
// from one statement, so that a concurrent insert changes all of them or none.
// Where possible, the statement reads whole days and hours from the aggregate
// tables, and only the rest from the table requests.
func (s *Store) Impact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	return s.readBreakdown(ctx, q, impactAggregation(by, record.SeriesStep(q)), record.NewBreakdown(by, record.SeriesStep(q)))
}

// InstallationImpact is Impact over the requests of all accounts. It ignores the account of the
// query. Only operators may see the result.
func (s *Store) InstallationImpact(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	t := impactAggregation(by, record.SeriesStep(q))
	t.allAccounts = true
	return s.readBreakdown(ctx, q, t, record.NewBreakdown(by, record.SeriesStep(q)))
}

// Spend is Impact, except that the groups are ordered by cost, and that the result has
// the cost of the largest groups over time.
func (s *Store) Spend(ctx context.Context, q record.Query, by record.GroupBy) (record.Impact, error) {
	return s.readBreakdown(ctx, q, impactAggregation(by, record.SeriesStep(q)), record.NewSpendBreakdown(by, record.SeriesStep(q)))
}

// The kinds of rows of selectLargest.
const (
	groupSums = iota // of one of the largest groups
	otherSums        // of all other groups together
	totalSums        // of the requests of all groups, if groups share requests
)

// selectLargest selects the largest groups by an order, and the sums of all others together. Clients
// can create any number of groups, and to read them all would take longer than to add them up. With
// one SELECT for all kinds, Postgres would sort the parts of all groups.
const (
	selectLargest = `, largest AS MATERIALIZED (
			SELECT of_group FROM parts WHERE of_group IS NOT NULL GROUP BY of_group ORDER BY %s, of_group LIMIT %d)
		SELECT 0 AS kind, of_group, MAX(name), step_number, ` + sumParts + ` FROM parts
			WHERE of_group IN (SELECT of_group FROM largest) GROUP BY of_group, step_number
		UNION ALL SELECT 1, '', '', step_number, ` + sumParts + ` FROM parts
			WHERE of_group IS NOT NULL AND of_group NOT IN (SELECT of_group FROM largest) GROUP BY step_number
		UNION ALL SELECT 2, '', '', step_number, ` + sumParts + ` FROM parts WHERE of_group IS NULL GROUP BY step_number
		ORDER BY kind, of_group`
	sumParts = `CAST(SUM(requests) AS BIGINT), CAST(SUM(unpriced) AS BIGINT), CAST(SUM(routed_usd) AS BIGINT), CAST(SUM(routed_nano) AS BIGINT),
		CAST(SUM(second_usd) AS BIGINT), CAST(SUM(second_nano) AS BIGINT), CAST(SUM(third_usd) AS BIGINT), CAST(SUM(third_nano) AS BIGINT)`
)

func (s *Store) readBreakdown(ctx context.Context, q record.Query, t aggregation, sums *record.Breakdown) (record.Impact, error) {
	order := "SUM(requests) DESC"
	if sums.OrdersByCost() {
		order = "SUM(routed_usd) * 1000000000 + SUM(routed_nano) DESC, " + order
	}
	statement, args := s.buildAggregation(q, t)
	statement += fmt.Sprintf(selectLargest, order, record.MaxGroups)
	err := s.readPageRows(ctx, statement, args, func(rows *sql.Rows) error { return scanImpactRow(rows, t, sums) })
	if err != nil {
		return record.Impact{}, err
	}
	return sums.Impact(), nil
}

func impactAggregation(by record.GroupBy, step time.Duration) aggregation {
	group, ok := groupColumns[by]
	switch _, metadata := by.MetadataName(); {
	case by == record.GroupTag:
		group = [2]string{"CAST(NULL AS TEXT)", "''"} // these rows are the total; buildAggregation adds the groups
	case metadata:
		group = [2]string{metadataPlaceholder, "''"}
	case !ok:
		group = groupColumns[""]
	}
	return aggregation{
		by: by, names: "of_group, name, step_number, requests, unpriced, routed_usd, routed_nano, second_usd, second_nano, third_usd, third_nano",
		columns: group[0] + " AS of_group, MAX(" + group[1] + ")", groupBy: "of_group",
		requestSums: requestSumColumns, aggregateSums: aggregateSumColumns, groupRow: groupRowColumns, step: step.Microseconds(),
	}
}

func scanImpactRow(rows *sql.Rows, t aggregation, sums *record.Breakdown) error {
	var value, name string
	var kind, step int64
	var s record.PartialSums
	second, third := &s.Baseline, &s.Saved
	if t.tokens {
		second, third = &s.InputTokens, &s.OutputTokens
	}
	err := rows.Scan(&kind, &value, &name, &step, &s.Requests, &s.Unpriced, &s.Routed.Dollars, &s.Routed.Nano,
		&second.Dollars, &second.Nano, &third.Dollars, &third.Nano)
	switch {
	case err != nil:
		return err
	case kind == totalSums:
		sums.AddTotal(step, s)
	case kind == otherSums:
		sums.AddOther(step, s)
	default:
		sums.Add(value, name, step, s)
	}
	return nil
}
