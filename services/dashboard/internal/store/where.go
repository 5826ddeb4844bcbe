package store

import (
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// where is a condition under construction. Its texts are written here; what
// readers sent is only ever an argument.
type where struct {
	text strings.Builder
	args []any
}

// newWhere begins with the account, so that no query can forget it.
func newWhere(q record.Query) *where {
	w := &where{}
	w.text.WriteString("account_id = ")
	w.arg(q.Account)
	if !q.From.IsZero() {
		w.and("time_us >= ", q.From.UnixMicro())
	}
	if !q.To.IsZero() {
		w.and("time_us < ", q.To.UnixMicro())
	}
	for _, t := range q.Terms {
		w.term(t)
	}
	return w
}

func (w *where) and(condition string, arg any) {
	w.text.WriteString(" AND " + condition)
	w.arg(arg)
}

func (w *where) arg(v any) {
	w.args = append(w.args, v)
	w.text.WriteString("$" + strconv.Itoa(len(w.args)))
}

// term writes (column = $1 OR column = $2 ...).
func (w *where) term(t record.Term) {
	w.text.WriteString(" AND (")
	for i, value := range t.Values {
		if i > 0 {
			w.text.WriteString(" OR ")
		}
		w.equals(t.Field, value)
	}
	w.text.WriteString(")")
}

func (w *where) equals(field record.Field, value string) {
	switch field {
	case record.ByKey:
		w.text.WriteString("key_id = ")
		w.arg(value)
		w.text.WriteString(" OR key_name = ")
		w.arg(value)
	case record.ByStatus:
		n, _ := strconv.ParseInt(value, 10, 64) // checked when the filter was read
		w.text.WriteString("status = ")
		w.arg(n)
	case record.ByStream:
		w.text.WriteString("stream = ")
		w.arg(bit(value == "true"))
	default:
		w.text.WriteString(columns[field] + " = ")
		w.arg(value)
	}
}

// columns of the fields that are compared as they are.
var columns = map[record.Field]string{
	record.ByModel:          "model",
	record.ByRequestedModel: "requested_model",
	record.ByProvider:       "provider",
	record.ByRoute:          "route",
	record.ByOutcome:        "outcome",
	record.ByCode:           "code",
}
