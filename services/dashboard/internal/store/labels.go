package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// The column labels holds the tags and the metadata of a request as one JSON object, such
// as {"meta.team":"search","tag.prod":""}. Postgres indexes the words of label_words. SQLite has
// the table request_labels instead, which triggers fill.
const (
	tagPrefix      = "tag."
	metadataPrefix = "meta."

	// maxTags and maxMetadata limit the labels of one request. Keys have at most 32 tags,
	// and proxies send at most 16 values of metadata.
	maxTags     = 32
	maxMetadata = 16
)

// labelsOf returns the column labels of a record. Metadata without a value is no label.
func labelsOf(r *record.Record) (string, error) {
	labels := map[string]string{}
	if r.Inputs != nil {
		for _, tag := range r.Inputs.Tags[:min(len(r.Inputs.Tags), maxTags)] {
			labels[limitName(tagPrefix+tag)] = ""
		}
		names := slices.Sorted(maps.Keys(r.Inputs.Metadata))
		for _, name := range names[:min(len(names), maxMetadata)] {
			if value := r.Inputs.Metadata[name]; value != "" {
				labels[limitName(metadataPrefix+name)] = limitName(value)
			}
		}
	}
	encoded, err := json.Marshal(labels)
	return string(encoded), err
}

// writeTag writes the condition that a request has a tag.
func (w *whereClause) writeTag(t record.Test) {
	key := limitName(tagPrefix + t.Text)
	switch {
	case t.Op == record.Equal && w.dialect == sqldb.Postgres:
		w.text.WriteString("labels ? ")
		w.writeArg(key)
	case t.Op == record.Equal:
		w.text.WriteString("EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ")
		w.writeArg(key)
		w.text.WriteString(")")
	case t.Op == record.Any && w.dialect == sqldb.Postgres:
		// A quote inside a name or a value is escaped, so this text is always the start of a name.
		// Reading every name would take twice as long.
		w.text.WriteString(`(starts_with(labels::text, '{"` + tagPrefix + `') OR strpos(labels::text, ', "` + tagPrefix + `') > 0)`)
	default: // a prefix; that of record.Any is empty
		w.text.WriteString("labels <> '{}' AND EXISTS (SELECT 1 FROM " + w.labelKeys() + " WHERE substr(key, 1, " + strconv.Itoa(len([]rune(key))) + ") = ")
		w.writeArg(key)
		w.text.WriteString(")")
	}
}

func (w *whereClause) labelKeys() string {
	if w.dialect == sqldb.Postgres {
		return "jsonb_object_keys(labels) AS label (key)"
	}
	return "json_each(labels)"
}

// writeMetadata writes the condition that the metadata of a request has a value.
func (w *whereClause) writeMetadata(name string, t record.Test) {
	key, value := limitName(metadataPrefix+name), limitName(t.Text)
	if w.dialect == sqldb.Postgres {
		w.writeMetadataPostgres(key, value, t.Op)
		return
	}
	w.text.WriteString("EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ")
	w.writeArg(key)
	switch t.Op {
	case record.Equal:
		w.addCondition("value = ", value)
	case record.Prefix:
		w.addCondition("substr(value, 1, "+strconv.Itoa(len([]rune(value)))+") = ", value)
	}
	w.text.WriteString(")")
}

func (w *whereClause) writeMetadataPostgres(key, value string, op record.Op) {
	if op == record.Equal {
		pair, _ := json.Marshal(map[string]string{key: value}) // strings always encode
		w.text.WriteString("labels @> ")
		w.writeArg(string(pair))
		w.text.WriteString("::jsonb")
		return
	}
	w.text.WriteString("labels ? ")
	w.writeArg(key)
	if op == record.Prefix {
		at := len(w.args) // the key
		w.addCondition("substr(labels ->> $"+strconv.Itoa(at)+", 1, "+strconv.Itoa(len([]rune(value)))+") = ", value)
	}
}

// metadataPlaceholder stands for the value of metadata in the columns of an aggregation.
const metadataPlaceholder = "$metadata"

// bindMetadata replaces metadataPlaceholder. It passes the name as an argument.
func (w *whereClause) bindMetadata(columns string, by record.GroupBy) string {
	name, ok := by.MetadataName()
	if !ok {
		return columns
	}
	w.args = append(w.args, limitName(metadataPrefix+name))
	arg := "$" + strconv.Itoa(len(w.args))
	value := "COALESCE((SELECT value FROM json_each(labels) WHERE key = " + arg + "), '')"
	if w.dialect == sqldb.Postgres {
		value = "COALESCE(labels ->> " + arg + "::text, '')"
	}
	return strings.ReplaceAll(columns, metadataPlaceholder, value)
}

// tagGroups returns the statement that sums the requests by tag. The sums of a request are
// in the group of each of its tags, or in the group ” if it has none.
func (w *whereClause) tagGroups(t aggregation) string {
	join := "LEFT JOIN json_each(request.labels) AS label ON substr(label.key, 1, 4) = '" + tagPrefix + "'"
	if w.dialect == sqldb.Postgres {
		join = "LEFT JOIN LATERAL jsonb_object_keys(request.labels) AS label (key) ON substr(label.key, 1, 4) = '" + tagPrefix + "'"
	}
	return "SELECT COALESCE(substr(label.key, 5), '') AS of_group, '', " + floorDivSQL("time_us", t.step) + " AS step_number, " + t.requestSums +
		" FROM (SELECT * FROM requests WHERE " + w.text.String() + ") AS request " + join +
		" GROUP BY of_group, step_number"
}

// label is a key and a value of the column labels.
type label struct{ key, value string }

// indexedLabel returns a label that every match has, for which SQLite has an index. If the
// query has none, ok is false.
func (f *finder) indexedLabel() (found label, ok bool) {
	if f.store.db.Dialect != sqldb.SQLite {
		return label{}, false
	}
	for _, t := range f.query.Terms {
		if t.Not || len(t.Tests) > 1 || t.Tests[0].Op != record.Equal {
			continue
		}
		if t.Field == record.ByTag {
			return label{key: limitName(tagPrefix + t.Tests[0].Text)}, true
		}
		if name, ok := t.Field.MetadataName(); ok {
			return label{limitName(metadataPrefix + name), limitName(t.Tests[0].Text)}, true
		}
	}
	return label{}, false
}

// joinLabels adds the condition that a request has a label. It returns the tables and the
// order. CROSS JOIN makes SQLite read the labels first. The time makes it use the index
// requests_newest for one request, not for a range.
func (w *whereClause) joinLabels(account string, l label, in timeRange) (from, order string) {
	w.addCondition("label_account = ", account)
	w.addCondition("label_key = ", l.key)
	w.addCondition("label_value = ", l.value)
	w.addRange("label_time", in)
	w.text.WriteString(" AND time_us = label_time AND id = label_id")
	return "request_labels CROSS JOIN requests", "label_time DESC, label_id DESC"
}
