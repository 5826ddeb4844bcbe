package store

import (
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// whereClause builds a SQL condition. The SQL text contains no input of users. Input
// is passed only as arguments, which prevents SQL injection.
type whereClause struct {
	dialect sqldb.Dialect
	names   map[string]nameMatches
	// failures holds the ids of all failures that match the free text, if they are
	// known; otherwise it is nil.
	failures *failureIDs
	text     strings.Builder
	args     []any
}

// newWhere returns the condition for the account and the terms of the query. It
// starts with the account, so that no query can omit it. The condition works on
// the table requests. It works on the aggregate tables if coveredByAggregates
// returns true.
func (s *Store) newWhere(q record.Query) *whereClause { return s.newWhereWithNames(q, nil) }

// newWhereWithNames is like newWhere, but known contains the names that match the
// free-text terms.
func (s *Store) newWhereWithNames(q record.Query, known map[string]nameMatches) *whereClause {
	w := &whereClause{dialect: s.db.Dialect, names: known}
	w.text.WriteString("account_id = ")
	w.writeArg(q.Account)
	return w.addTerms(q.Terms)
}

// newInstallationWhere is like newWhere for all accounts. It names the accounts that had requests
// in the time range, because every index on requests starts with the account.
func (s *Store) newInstallationWhere(q record.Query) *whereClause {
	w := &whereClause{dialect: s.db.Dialect}
	w.text.WriteString("account_id IN (SELECT account_id FROM daily WHERE 1 = 1")
	w.addRange("day", queryRange(q).days())
	w.text.WriteString(")")
	return w.addTerms(q.Terms)
}

func (w *whereClause) addTerms(terms []record.Term) *whereClause {
	for _, t := range terms {
		w.writeTerm(t)
	}
	return w
}

func (w *whereClause) addRange(column string, s timeRange) *whereClause {
	if s.from != nil {
		w.addCondition(column+" >= ", *s.from)
	}
	if s.to != nil {
		w.addCondition(column+" < ", *s.to)
	}
	return w
}

// addDays limits the partitions that Postgres plans and reads to those of a time range. A partition
// has the ids of one day, and package codec sets the time of a record to the day of its id.
func (w *whereClause) addDays(in timeRange) *whereClause {
	if w.dialect != sqldb.Postgres {
		return w
	}
	return w.addRange("day", in.days())
}

func (w *whereClause) addCondition(condition string, arg any) {
	w.text.WriteString(" AND " + condition)
	w.writeArg(arg)
}

func (w *whereClause) writeIn(column string, values []any) {
	w.text.WriteString(column + " IN (")
	for i, v := range values {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.writeArg(v)
	}
	w.text.WriteString(")")
}

// writeAnyOf is like writeIn, but for many keys. On Postgres the statement has the
// same text for any number of keys, so that the prepared statement is reused.
func (w *whereClause) writeAnyOf(column string, keys [][]byte) {
	if w.dialect != sqldb.Postgres {
		w.writeIn(column, toAnySlice(keys))
		return
	}
	w.text.WriteString(column + " = ANY (")
	w.writeArg(keys)
	w.text.WriteString(")")
}

func toAnySlice[T any](list []T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = v
	}
	return all
}

func (w *whereClause) writeArg(v any) {
	w.args = append(w.args, v)
	w.text.WriteString("$" + strconv.Itoa(len(w.args)))
}

// writeTerm writes "(a OR b ...)" or "NOT (a OR b ...)". No test is ever NULL, so
// every row matches either a term or its negation.
func (w *whereClause) writeTerm(t record.Term) {
	if column, ok := w.orderedColumn(t.Field); ok && t.Not {
		for _, test := range t.Tests {
			w.text.WriteString(" AND ")
			w.writeOutside(column, test)
		}
		return
	}
	w.text.WriteString(" AND ")
	if t.Not {
		w.text.WriteString("NOT ")
	}
	w.text.WriteString("(")
	for i, test := range t.Tests {
		if i > 0 {
			w.text.WriteString(" OR ")
		}
		w.writeTest(t.Field, test)
	}
	w.text.WriteString(")")
}

func (w *whereClause) writeTest(field record.Field, t record.Test) {
	switch field {
	case record.ByKey:
		w.writeComparison("key_id", t)
		w.text.WriteString(" OR ")
		w.writeComparison("key_name", t)
	case record.ByStream:
		w.text.WriteString("stream = ")
		w.writeArg(toBit(t.Text == "true"))
	case record.ByHas, record.ByIs:
		w.text.WriteString(flagConditions[t.Text])
	case record.ByID:
		w.writeID(t)
	case record.ByText:
		w.writeFreeText(t.Text)
	case record.ByTag:
		w.writeTag(t)
	default:
		if name, ok := field.MetadataName(); ok {
			w.writeMetadata(name, t)
			return
		}
		if n, ok := numericFields[field]; ok {
			w.writeNumberTest(n, t)
			return
		}
		if column, ok := w.orderedColumn(field); ok {
			w.writeRange(column, t)
			return
		}
		w.writeComparison(textColumns[field], t)
	}
}

// writeComparison compares text. It avoids LIKE, because SQLite and Postgres
// implement LIKE differently.
func (w *whereClause) writeComparison(column string, t record.Test) {
	w.text.WriteString(indexConditions[column])
	if rare := rareConditions[column]; t.Op == record.Equal && t.Text != usualValue {
		w.text.WriteString(rare)
	}
	switch t.Op {
	case record.Any:
		w.text.WriteString(column + " <> ''")
	case record.Prefix:
		w.text.WriteString("substr(" + column + ", 1, " + strconv.Itoa(len([]rune(t.Text))) + ") = ")
		w.writeArg(t.Text)
	default:
		w.text.WriteString(column + " = ")
		w.writeArg(t.Text)
	}
}

func (w *whereClause) writeNumberTest(n numericField, t record.Test) {
	w.text.WriteString("(" + n.known + n.value + " " + string(t.Op) + " ")
	w.writeArg(t.Number)
	w.text.WriteString(")")
}

// textColumns maps text fields to columns.
var textColumns = map[record.Field]string{
	record.ByModel:          "model",
	record.ByRequestedModel: "requested_model",
	record.ByProvider:       "provider",
	record.ByRoute:          "route",
	record.ByOutcome:        "outcome",
	record.ByCode:           "code",
	record.ByProtocol:       "protocol",
	record.ByAgent:          "agent",
	record.BySession:        "session",
	record.ByUser:           "end_user",
	record.ByRule:           "rule",
	record.ByEndpoint:       "endpoint",
}

// indexConditions are the conditions of partial indexes, on SQLite except for the code. The
// databases use such an index only for a query that has its condition. Every comparison of the
// column implies it.
var indexConditions = map[string]string{
	"code":     failedCondition + " AND ",
	"agent":    "agent <> '' AND ",
	"session":  "session <> '' AND ",
	"end_user": "end_user <> '' AND ",
	"rule":     "rule <> '' AND ",
}

// usualValue is the protocol and the endpoint of most requests. On SQLite, partial indexes
// contain the requests with other values.
const usualValue = "chat"

// rareConditions are the conditions of these indexes.
var rareConditions = map[string]string{
	"protocol": "protocol <> '" + usualValue + "' AND ",
	"endpoint": "endpoint <> '" + usualValue + "' AND ",
}

// numericField is the SQL of a numeric field. known is the condition that a record
// has a value, followed by AND. It is empty if every record has a value.
type numericField struct{ known, value string }

// numericFields maps numeric fields to SQL. Sums and differences use NUMERIC,
// because an overflow of a bigint would make the query fail.
var numericFields = map[record.Field]numericField{
	record.ByStatus:  {value: "status"},
	record.ByCost:    {known: "cost_nano_usd IS NOT NULL AND ", value: "cost_nano_usd"},
	record.BySaved:   {known: pricedCondition + " AND ", value: "CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd"},
	record.ByLatency: {value: "latency_us"},
	record.ByTTFT:    {known: "ttft_us > 0 AND ", value: "ttft_us"},
	record.ByGateway: {value: "gateway_us"},
	record.ByTokens:  {value: "CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens"},
}

const (
	failedCondition = "(code <> '' OR error <> '')"
	pricedCondition = "cost_nano_usd IS NOT NULL AND baseline_nano_usd IS NOT NULL"
)

var flagConditions = map[string]string{
	record.HasError:   failedCondition,
	record.HasPrice:   "(" + pricedCondition + ")",
	record.IsUnpriced: "(cost_nano_usd IS NULL OR baseline_nano_usd IS NULL)",
}
