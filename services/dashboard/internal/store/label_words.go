package store

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// labelWords is the expression that the index requests_labels contains.
const labelWords = `array_to_tsvector(string_to_array(left(substr(labels::text, 3), -2), '", "'))`

// addLabelIndex adds the condition that lets Postgres use the index requests_labels for the terms
// about tags and metadata. Every request that matches all of them meets the condition. The index
// is not in the order of time, so a read in that order does without it.
func (w *whereClause) addLabelIndex(terms []record.Term) *whereClause {
	var all []string
	for _, t := range terms {
		if w.dialect != sqldb.Postgres || t.Not || !isLabel(t.Field) {
			continue
		}
		var words []string
		for _, test := range t.Tests {
			words = append(words, labelWord(t.Field, test))
		}
		all = append(all, "("+strings.Join(words, " | ")+")")
	}
	if len(all) > 0 {
		w.addCondition("labels <> '{}' AND "+labelWords+" @@ ", strings.Join(all, " & "))
		w.text.WriteString("::text::tsquery")
	}
	return w
}

func isLabel(field record.Field) bool {
	_, metadata := field.MetadataName()
	return metadata || field == record.ByTag
}

// labelWord returns the word of a test in the syntax of a Postgres tsquery. A word is the JSON
// text of the label without the outer quotes.
func labelWord(field record.Field, t record.Test) string {
	const separator = `": "`
	word := escapeJSON(limitName(tagPrefix + t.Text))
	if name, ok := field.MetadataName(); ok {
		word = escapeJSON(limitName(metadataPrefix+name)) + separator + escapeJSON(limitName(t.Text))
	} else if t.Op == record.Equal {
		word += separator
	}
	quoted := "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word) + "'"
	if t.Op == record.Equal {
		return quoted
	}
	return quoted + ":*" // a prefix; that of record.Any has no value
}

// escapeJSON escapes a text like Postgres in the text of JSON. A filter has no control characters.
func escapeJSON(s string) string { return strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s) }
