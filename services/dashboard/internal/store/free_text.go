package store

import (
	"encoding/hex"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// minIDPrefix is the shortest free text that is searched as the start of an id.
// Eight digits match the ids of about one minute. Seven digits already match those
// of 17 minutes.
const minIDPrefix = 8

// writeFreeText writes the condition that a row matches the free text. The row must
// meet one of freeTextConditions.
func (w *whereClause) writeFreeText(text string) {
	w.text.WriteString("(")
	for i, write := range w.freeTextConditions(text) {
		if i > 0 {
			w.text.WriteString(" OR ")
		}
		write()
	}
	w.text.WriteString(")")
}

// freeTextConditions returns functions that each write one condition: the error
// contains the text, a name matches the text (see writeNameMatch), the session has
// exactly this id, which an index finds, or the id starts with the text.
func (w *whereClause) freeTextConditions(text string) []func() {
	all := []func(){func() { w.writeFailure(text) }, func() { w.writeNameMatch(text) }, func() {
		w.writeTest(record.BySession, record.Test{Op: record.Equal, Text: text})
	}}
	if first, last, ok := idRange(text); ok && len(text) >= minIDPrefix {
		all = append(all, func() { w.writeIDRange(first, last) })
	}
	return all
}

// writeFailure writes the condition that the error of a request contains the
// text. If the ids of these requests are already known, it compares ids instead.
func (w *whereClause) writeFailure(text string) {
	if w.failures != nil {
		w.failures.writeCondition(w)
		return
	}
	w.text.WriteString(failedCondition + " AND ")
	w.writeContains(text, "code", "error")
}

// writeNameMatch writes the condition that a name matches the text. The name of
// the key, model or provider must contain the text, or the requested model or the
// client's request id must equal the text. If the matching names are already
// known, it compares names for equality instead.
func (w *whereClause) writeNameMatch(text string) {
	w.text.WriteString("(requested_model = ")
	w.writeArg(text)
	w.text.WriteString(" OR client_request_id = ")
	w.writeArg(text)
	known, ok := w.names[text]
	if !ok {
		w.text.WriteString(" OR ")
		w.writeContains(text, nameColumns...)
	}
	for _, column := range nameColumns {
		if values := known[column]; len(values) > 0 {
			w.text.WriteString(" OR ")
			w.writeIn(column, values)
		}
	}
	w.text.WriteString(")")
}

// writeContains writes the condition that one of the columns contains the text. It
// uses no patterns and ignores the case of ASCII letters. It joins the columns
// with a control character. A filter cannot contain control characters, so a match
// never spans two columns.
func (w *whereClause) writeContains(text string, columns ...string) {
	if w.dialect == sqldb.Postgres {
		// COLLATE "C" folds only ASCII letters, whatever the database's locale.
		w.text.WriteString("strpos(lower((" + strings.Join(columns, " || chr(1) || ") + `) COLLATE "C"), `)
	} else {
		w.text.WriteString("instr(lower(" + strings.Join(columns, " || char(1) || ") + "), ")
	}
	w.writeArg(lowerASCII(text))
	w.text.WriteString(") > 0")
}

// writeID writes the condition that the record's id starts with the text, or that
// the client's request id matches the text.
func (w *whereClause) writeID(t record.Test) {
	w.text.WriteString("(")
	if first, last, ok := idRange(t.Text); ok {
		w.writeIDRange(first, last)
		w.text.WriteString(" OR ")
	}
	w.text.WriteString("client_request_id <> '' AND ")
	w.writeComparison("client_request_id", t)
	w.text.WriteString(")")
}

func (w *whereClause) writeIDRange(first, last []byte) {
	w.text.WriteString("(id >= ")
	w.writeArg(first)
	w.text.WriteString(" AND id <= ")
	w.writeArg(last)
	w.text.WriteString(")")
}

// idRange returns the lowest and the highest id that start with the text. ok is
// false if the text cannot be the start of an id. Dashes must be in their usual
// positions or absent.
func idRange(text string) (first, last []byte, ok bool) {
	digits := strings.ToLower(strings.ReplaceAll(text, "-", ""))
	if digits == "" || len(digits) > 32 || strings.Contains(text, "-") && !strings.HasPrefix(insertDashes(digits), strings.ToLower(text)) {
		return nil, nil, false
	}
	first, err := hex.DecodeString(digits + strings.Repeat("0", 32-len(digits)))
	if err != nil {
		return nil, nil, false
	}
	last, err = hex.DecodeString(digits + strings.Repeat("f", 32-len(digits)))
	return first, last, err == nil
}

// insertDashes formats digits as a UUID prefix, with a dash after each full group.
func insertDashes(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		b.WriteRune(d)
		if i == 7 || i == 11 || i == 15 || i == 19 {
			b.WriteByte('-')
		}
	}
	return b.String()
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
