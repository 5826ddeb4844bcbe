package store

import (
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// where is a condition under construction. Its texts are written here; what
// readers sent is only ever an argument.
type where struct {
	dialect sqldb.Dialect
	names   map[string]names
	// failures, unless nil, are all that failed with the text looked for.
	failures *failures
	text     strings.Builder
	args     []any
}

// of begins with the account, so that no query can forget it, and has the
// terms, which read the same of rows and, if summed allows, of the sums.
func (s *Store) of(q record.Query) *where { return s.ofNamed(q, nil) }

// ofNamed is told of names that texts in the query are in.
func (s *Store) ofNamed(q record.Query, known map[string]names) *where {
	w := &where{dialect: s.db.Dialect, names: known}
	w.text.WriteString("account_id = ")
	w.arg(q.Account)
	for _, t := range q.Terms {
		w.term(t)
	}
	return w
}

// within adds what is left of the span of a query, in microseconds.
func (w *where) within(column string, s span) *where {
	if s.from != nil {
		w.and(column+" >= ", *s.from)
	}
	if s.to != nil {
		w.and(column+" < ", *s.to)
	}
	return w
}

func (w *where) and(condition string, arg any) {
	w.text.WriteString(" AND " + condition)
	w.arg(arg)
}

func (w *where) in(column string, values []any) {
	w.text.WriteString(column + " IN (")
	for i, v := range values {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.arg(v)
	}
	w.text.WriteString(")")
}

// anyOf is in for many: on Postgres the statement is the same for any number,
// so that it stays prepared.
func (w *where) anyOf(column string, keys [][]byte) {
	if w.dialect != sqldb.Postgres {
		w.in(column, values(keys))
		return
	}
	w.text.WriteString(column + " = ANY (")
	w.arg(keys)
	w.text.WriteString(")")
}

func values[T any](list []T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = v
	}
	return all
}

func (w *where) arg(v any) {
	w.args = append(w.args, v)
	w.text.WriteString("$" + strconv.Itoa(len(w.args)))
}

// term writes (a OR b ...), or NOT (a OR b ...). No test of a row is ever NULL,
// so that a term or its opposite holds for each.
func (w *where) term(t record.Term) {
	w.text.WriteString(" AND ")
	if t.Not {
		w.text.WriteString("NOT ")
	}
	w.text.WriteString("(")
	for i, test := range t.Tests {
		if i > 0 {
			w.text.WriteString(" OR ")
		}
		w.test(t.Field, test)
	}
	w.text.WriteString(")")
}

func (w *where) test(field record.Field, t record.Test) {
	switch field {
	case record.ByKey:
		w.compare("key_id", t)
		w.text.WriteString(" OR ")
		w.compare("key_name", t)
	case record.ByStream:
		w.text.WriteString("stream = ")
		w.arg(bit(t.Text == "true"))
	case record.ByHas, record.ByIs:
		w.text.WriteString(marks[t.Text])
	case record.ByID:
		w.id(t)
	case record.ByText:
		w.mentions(t.Text)
	default:
		if n, ok := measures[field]; ok {
			w.size(n, t)
			return
		}
		w.compare(columns[field], t)
	}
}

// compare is about words. The first characters are compared as they are: LIKE
// is not the same on both databases.
func (w *where) compare(column string, t record.Test) {
	if column == "code" {
		w.text.WriteString(failed + " AND ") // which its index needs to be told
	}
	switch t.Op {
	case record.Any:
		w.text.WriteString(column + " <> ''")
	case record.Prefix:
		w.text.WriteString("substr(" + column + ", 1, " + strconv.Itoa(len([]rune(t.Text))) + ") = ")
		w.arg(t.Text)
	default:
		w.text.WriteString(column + " = ")
		w.arg(t.Text)
	}
}

func (w *where) size(n measure, t record.Test) {
	w.text.WriteString("(" + n.known + n.value + " " + string(t.Op) + " ")
	w.arg(t.Number)
	w.text.WriteString(")")
}

// columns of the fields of words.
var columns = map[record.Field]string{
	record.ByModel:          "model",
	record.ByRequestedModel: "requested_model",
	record.ByProvider:       "provider",
	record.ByRoute:          "route",
	record.ByOutcome:        "outcome",
	record.ByCode:           "code",
}

// measure is a field that is compared by size; known guards those that a record
// need not have.
type measure struct{ known, value string }

// Sums and differences are taken of numerics: of whole numbers they might not
// fit, and then Postgres refuses to answer.
var measures = map[record.Field]measure{
	record.ByStatus:  {value: "status"},
	record.ByCost:    {known: "cost_nano_usd IS NOT NULL AND ", value: "cost_nano_usd"},
	record.ByKept:    {known: priced + " AND ", value: "CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd"},
	record.ByLatency: {value: "latency_us"},
	record.ByTTFT:    {known: "ttft_us > 0 AND ", value: "ttft_us"},
	record.ByGateway: {value: "gateway_us"},
	record.ByTokens:  {value: "CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens"},
}

const (
	failed = "(code <> '' OR error <> '')"
	priced = "cost_nano_usd IS NOT NULL AND baseline_nano_usd IS NOT NULL"
)

var marks = map[string]string{
	record.HasError:   failed,
	record.HasPrice:   "(" + priced + ")",
	record.IsUnpriced: "(cost_nano_usd IS NULL OR baseline_nano_usd IS NULL)",
}
