package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// facetSample is how many of the newest requests are counted. It is matchSample if a filter
// has to be compared or labels have to be decoded.
const facetSample, matchSample = 20_000, 4000

// facetColumns are the columns of the fields with facets, except labels. All are text.
var facetColumns = func() map[record.Field]string {
	columns := maps.Clone(textColumns)
	columns[record.ByKey] = "key_name"
	columns[record.ByStatus] = "CAST(status AS TEXT)"
	columns[record.ByStream] = "CASE WHEN stream = 1 THEN 'true' ELSE 'false' END"
	return columns
}()

// errFacetTimeout means that the values could not be counted in time.
var errFacetTimeout = errors.New("the values could not be counted in time")

// Facets returns the most frequent values of a field among the requests of a query. Where the
// aggregates have the field, it counts all of them, and otherwise the newest ones. It takes a
// limited time: see Timeouts.Facets.
func (s *Store) Facets(ctx context.Context, q record.FacetQuery) (record.Facets, error) {
	found, err := s.countFacets(ctx, q, s.timeouts.Facets)
	switch {
	case errors.Is(err, errFacetTimeout):
		q.Terms = nil
		found, err = s.countFacets(ctx, q, s.timeouts.FacetsRetry)
		found.ForgetCounts()
	case err == nil && len(found.Values) == 0 && found.Sampled && q.Text != "":
		found.Values, err = s.findRare(ctx, q)
	}
	if errors.Is(err, errFacetTimeout) {
		return record.Facets{Sampled: true}, nil
	}
	return found, toReadError(err)
}

func (s *Store) countFacets(ctx context.Context, q record.FacetQuery, timeout time.Duration) (record.Facets, error) {
	brief, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if coveredByAggregates(append(slices.Clone(q.Terms), record.Term{Field: q.Field}), "") {
		counts, err := s.countAggregates(brief, q)
		return record.Facets{Values: q.Choose(counts)}, markTimeout(ctx, brief, err)
	}
	counts, full, err := s.countNewest(brief, q)
	return record.Facets{Values: q.Choose(counts), Sampled: full}, markTimeout(ctx, brief, err)
}

// markTimeout returns errFacetTimeout if brief has expired and ctx has not.
func markTimeout(ctx, brief context.Context, err error) error {
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		return errFacetTimeout
	}
	return err
}

// countAggregates counts all requests of the query by the values of a field.
func (s *Store) countAggregates(ctx context.Context, q record.FacetQuery) (map[string]int64, error) {
	statement, args := s.buildAggregation(q.Query, aggregation{
		names: "of_group, step_number, requests", columns: facetColumns[q.Field] + " AS of_group", groupBy: "of_group",
		requestSums: "COUNT(*)", aggregateSums: "CAST(SUM(requests) AS BIGINT)",
		step: 10_000 * dayMicros, // one step for any range
	})
	counts := map[string]int64{}
	err := sqldb.EachRow(ctx, s.db.Replica(), statement+" SELECT * FROM parts", args, func(rows *sql.Rows) error {
		var value string
		var step, n int64
		err := rows.Scan(&value, &step, &n)
		counts[value] += n
		return err
	})
	return counts, err
}

// countNewest counts the newest requests of the query. full is true if there may be more than
// it has counted.
func (s *Store) countNewest(ctx context.Context, q record.FacetQuery) (counts map[string]int64, full bool, err error) {
	w := s.newWhere(q.Query).addLabelIndex(q.Terms).addRange("time_us", queryRange(q.Query))
	w.text.WriteString(" ORDER BY time_us DESC, id DESC")
	sample := int64(facetSample)
	if _, ok := facetColumns[q.Field]; !ok || len(q.Terms) > 0 {
		sample = matchSample
	}
	counts, read, err := s.countRows(ctx, q.Field, w, sample)
	return counts, read >= sample, err
}

// countRows counts the first requests of a condition by the values of a field. read is how many
// it has counted.
func (s *Store) countRows(ctx context.Context, field record.Field, w *whereClause, most int64) (counts map[string]int64, read int64, err error) {
	column, ok := facetColumns[field]
	if !ok {
		column = "labels"
	}
	statement := "SELECT value, COUNT(*) FROM (SELECT " + column + " AS value FROM requests WHERE " + w.text.String() +
		" LIMIT " + strconv.FormatInt(most, 10) + ") AS counted GROUP BY value"
	counts = map[string]int64{}
	err = sqldb.EachRow(ctx, s.db.Replica(), statement, w.args, func(rows *sql.Rows) error {
		var value string
		var n int64
		if err := rows.Scan(&value, &n); err != nil {
			return err
		}
		read += n
		return addFacet(counts, field, value, n)
	})
	return counts, read, err
}

// addFacet adds n requests with the same value, or with the same labels.
func addFacet(counts map[string]int64, field record.Field, value string, n int64) error {
	if _, ok := facetColumns[field]; ok {
		counts[value] += n
		return nil
	}
	var labels map[string]string
	if err := json.Unmarshal([]byte(value), &labels); err != nil {
		return err
	}
	name, _ := field.MetadataName()
	for key, value := range labels {
		tag, isTag := strings.CutPrefix(key, tagPrefix)
		metadata, isMetadata := strings.CutPrefix(key, metadataPrefix)
		switch {
		case field == record.ByTag && isTag:
			counts[tag] += n
		case field == record.ByMetadataName && isMetadata:
			counts[metadata] += n
		case isMetadata && metadata == name:
			counts[value] += n
		}
	}
	return nil
}

// findRare finds values that start with the text and are too rare for the sample. It does not
// count them.
func (s *Store) findRare(ctx context.Context, q record.FacetQuery) ([]record.Facet, error) {
	if q.Field == record.ByMetadataName || q.Field == record.ByStatus || q.Field == record.ByStream {
		return nil, nil
	}
	brief, cancel := context.WithTimeout(ctx, s.timeouts.FacetsRetry)
	defer cancel()
	q.Terms = append(slices.Clone(q.Terms), record.Term{Field: q.Field, Tests: []record.Test{{Op: record.Prefix, Text: q.Text}}})
	w := s.newWhere(q.Query).addLabelIndex(q.Terms).addRange("time_us", queryRange(q.Query))
	counts, _, err := s.countRows(brief, q.Field, w, maxUnordered)
	found := record.Facets{Values: q.Choose(counts)}
	found.ForgetCounts()
	return found.Values, markTimeout(ctx, brief, err)
}
