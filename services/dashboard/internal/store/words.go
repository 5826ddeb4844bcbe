package store

import (
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// byteOrderedColumns have a Postgres index in byte order. Conditions on them are ranges, because
// Postgres uses an index neither for substr nor for <>.
var byteOrderedColumns = map[string]bool{
	"session": true, "end_user": true, "agent": true, "rule": true, "endpoint": true, "protocol": true,
}

// orderedColumn returns the column of a field as its index has it. ok is false if the field has
// no such index.
func (w *whereClause) orderedColumn(field record.Field) (column string, ok bool) {
	column = textColumns[field]
	if w.dialect != sqldb.Postgres || !byteOrderedColumns[column] {
		return "", false
	}
	return column + ` COLLATE "C"`, true
}

// writeRange writes the condition that a column in byte order matches.
func (w *whereClause) writeRange(column string, t record.Test) {
	switch t.Op {
	case record.Any:
		w.text.WriteString(column + " > ''")
	case record.Prefix:
		w.text.WriteString(column + " >= ")
		w.writeArg(t.Text)
		if end := prefixEnd(t.Text); end != "" {
			w.addCondition(column+" < ", end)
		}
	default:
		w.text.WriteString(column + " = ")
		w.writeArg(t.Text)
	}
}

// writeOutside writes the condition that a column in byte order does not match: its value is
// before or after the matching ones.
func (w *whereClause) writeOutside(column string, t record.Test) {
	if t.Op == record.Any {
		w.text.WriteString(column + " = ''")
		return
	}
	w.text.WriteString("(" + column + " < ")
	w.writeArg(t.Text)
	switch end := prefixEnd(t.Text); {
	case t.Op == record.Equal:
		w.text.WriteString(" OR " + column + " > ")
		w.writeArg(t.Text)
	case end != "":
		w.text.WriteString(" OR " + column + " >= ")
		w.writeArg(end)
	}
	w.text.WriteString(")")
}

// prefixEnd returns the first text, in byte order, after all texts that start with prefix. It
// returns "" if there is none.
func prefixEnd(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch next := last + 1; {
		case next == surrogateMin:
			return prefix + string(rune(surrogateMax+1))
		case next <= utf8.MaxRune:
			return prefix + string(next)
		}
	}
	return ""
}

// Surrogates are no characters, so a text cannot contain them.
const surrogateMin, surrogateMax = 0xD800, 0xDFFF
