package store

import (
	"encoding/hex"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// leastID is how much of an id free text must be to be one: less of it is the
// beginning of every id for days.
const leastID = 8

// mentions writes whether a row has the text anywhere.
func (w *where) mentions(text string) {
	w.text.WriteString("(")
	for i, arm := range w.arms(text) {
		if i > 0 {
			w.text.WriteString(" OR ")
		}
		arm()
	}
	w.text.WriteString(")")
}

// arms write, each, one way for a row to have a text: in what it failed with,
// in a name or as a word of the client's, as its id. There is an index for each.
func (w *where) arms(text string) []func() {
	all := []func(){func() { w.failure(text) }, func() { w.word(text) }}
	if first, last, ok := idsFrom(text); ok && len(text) >= leastID {
		all = append(all, func() { w.between(first, last) })
	}
	return all
}

// failure writes whether a row failed with the text. Where it is known which
// did, they are looked for instead.
func (w *where) failure(text string) {
	if w.failures != nil {
		w.failures.write(w)
		return
	}
	w.text.WriteString(failed + " AND ")
	w.contains(text, "code", "error")
}

// word writes whether a key, a model or a provider has the text in its name, or
// the client asked for a model or gave an id of just that name. Where the names
// are known that have it, they are looked for instead.
func (w *where) word(text string) {
	w.text.WriteString("(requested_model = ")
	w.arg(text)
	w.text.WriteString(" OR client_request_id = ")
	w.arg(text)
	known, ok := w.names[text]
	if !ok {
		w.text.WriteString(" OR ")
		w.contains(text, named...)
	}
	for _, column := range named {
		if values := known[column]; len(values) > 0 {
			w.text.WriteString(" OR ")
			w.in(column, values)
		}
	}
	w.text.WriteString(")")
}

// contains looks for the text as it is, without patterns, whatever the case of
// its letters, and in all columns at once: a filter cannot hold the character
// that sets them apart.
func (w *where) contains(text string, columns ...string) {
	if w.dialect == sqldb.Postgres {
		// Whatever the database's own language, only ASCII letters are folded.
		w.text.WriteString("strpos(lower((" + strings.Join(columns, " || chr(1) || ") + `) COLLATE "C"), `)
	} else {
		w.text.WriteString("instr(lower(" + strings.Join(columns, " || char(1) || ") + "), ")
	}
	w.arg(lowerASCII(text))
	w.text.WriteString(") > 0")
}

// id writes whether it is our id, from its beginning on, or the client's own.
func (w *where) id(t record.Test) {
	w.text.WriteString("(")
	if first, last, ok := idsFrom(t.Text); ok {
		w.between(first, last)
		w.text.WriteString(" OR ")
	}
	w.text.WriteString("client_request_id <> '' AND ")
	w.compare("client_request_id", t)
	w.text.WriteString(")")
}

func (w *where) between(first, last []byte) {
	w.text.WriteString("(id >= ")
	w.arg(first)
	w.text.WriteString(" AND id <= ")
	w.arg(last)
	w.text.WriteString(")")
}

// idsFrom is the first and the last id that begin with the text, which has its
// dashes where ids have them, or none.
func idsFrom(text string) (first, last []byte, ok bool) {
	digits := strings.ToLower(strings.ReplaceAll(text, "-", ""))
	if digits == "" || len(digits) > 32 || strings.Contains(text, "-") && !strings.HasPrefix(dashed(digits), strings.ToLower(text)) {
		return nil, nil, false
	}
	first, err := hex.DecodeString(digits + strings.Repeat("0", 32-len(digits)))
	if err != nil {
		return nil, nil, false
	}
	last, err = hex.DecodeString(digits + strings.Repeat("f", 32-len(digits)))
	return first, last, err == nil
}

// dashed puts the dashes of an id between digits, and one after the last group.
func dashed(digits string) string {
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
