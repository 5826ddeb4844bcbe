package store

import (
	"context"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// The sums have the order of requestSumColumns. Like money, tokens are summed in two parts, so
// that damaged records cannot fail the query.
const (
	requestCounts   = `COUNT(*), 0, 0, COUNT(*), 0, 0, 0, 0`
	aggregateCounts = `CAST(SUM(requests) AS BIGINT), 0, 0, CAST(SUM(requests) AS BIGINT), 0, 0, 0, 0`
	groupRowCounts  = `requests, 0, 0, requests, 0, 0, 0, 0`

	sumInputTokens = `CAST(SUM(input_tokens / 1000000000 + cache_read_tokens / 1000000000 + cache_write_tokens / 1000000000) AS BIGINT),
	CAST(SUM(input_tokens % 1000000000 + cache_read_tokens % 1000000000 + cache_write_tokens % 1000000000) AS BIGINT)`
	sumOutputTokens = `CAST(SUM(output_tokens / 1000000000) AS BIGINT), CAST(SUM(output_tokens % 1000000000) AS BIGINT)`
	sumTokens       = `CAST(SUM(input_tokens / 1000000000 + cache_read_tokens / 1000000000 + cache_write_tokens / 1000000000 + output_tokens / 1000000000) AS BIGINT),
	CAST(SUM(input_tokens % 1000000000 + cache_read_tokens % 1000000000 + cache_write_tokens % 1000000000 + output_tokens % 1000000000) AS BIGINT)`
	tokenSums = `COUNT(*), 0, ` + sumTokens + `, ` + sumInputTokens + `, ` + sumOutputTokens
)

// Volume is Spend with another measure in the place of the cost: Routed is the number of
// requests or tokens, by which groups are ordered. Tokens are summed over single requests,
// because the aggregate tables do not have them.
func (s *Store) Volume(ctx context.Context, q record.Query, by record.GroupBy, m record.Measure) (record.Impact, error) {
	t := impactAggregation(by, record.SeriesStep(q))
	t.requestSums, t.aggregateSums, t.groupRow = requestCounts, aggregateCounts, groupRowCounts
	if m == record.MeasureTokens {
		t.requestSums, t.tokens = tokenSums, true
	}
	return s.readBreakdown(ctx, q, t, record.NewSpendBreakdown(by, record.SeriesStep(q)))
}
