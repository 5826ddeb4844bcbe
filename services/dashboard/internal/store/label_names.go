package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// labelNames is the expression that the index requests_label_names contains: a hash of the names of
// the labels of a request. A name is a tag, or a name of metadata without its value. If two sets of an
// account had the same hash, a search could miss the requests of one; the hash has 64 bits.
const labelNames = `hashtextextended(jsonb_path_query_array(labels, '$.keyvalue().key')::text, 0)`

const (
	// maxNameSets is how many different sets of names a search compares with its filter. To find one
	// takes an access to the index of each day: about 100 ms for 300 sets in a month.
	maxNameSets = 300
	// defaultNameSetsTimeout limits how long a search looks for the sets, for example many of a year, or
	// in an index that is on disk. After it, the search reads every request.
	defaultNameSetsTimeout = 250 * time.Millisecond
)

// nameSets are sets of label names, by their hashes.
type nameSets struct {
	hashes []int64
	// tooMany is set if the account uses more than maxNameSets, or if finding them took too long. The
	// hashes are then incomplete.
	tooMany bool
}

// findNameSets sets f.nameSets: the sets of label names that a match can have. A search for requests
// without a label looks them up. No index contains what a request does not have, so such a search
// would otherwise read every request. Accounts use few sets, however: keys have the same tags and
// programs send the same metadata in each request.
func (f *finder) findNameSets(ctx context.Context) error {
	if f.nameSets != nil || !f.excludesLabels() {
		return nil
	}
	brief, cancel := context.WithTimeout(ctx, f.store.nameSetsTimeout)
	defer cancel()
	sets, err := f.readNameSets(brief)
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		sets, err = &nameSets{tooMany: true}, nil
	}
	if err == nil {
		f.nameSets = sets
	}
	return err
}

func (f *finder) readNameSets(ctx context.Context) (*nameSets, error) {
	sets, number := &nameSets{}, 0
	statement, args := f.nameSetsStatement()
	err := sqldb.EachRow(ctx, f.store.db.Replica(), statement, args, func(rows *sql.Rows) error {
		var hash int64
		var matches bool
		if err := rows.Scan(&hash, &matches); err != nil {
			return err
		}
		if matches {
			sets.hashes = append(sets.hashes, hash)
		}
		number++
		return nil
	})
	sets.tooMany = number > maxNameSets
	return sets, err
}

// excludesLabels reports whether the query has a term for requests without a label, and the database
// has the index of names.
func (f *finder) excludesLabels() bool {
	excludes := func(t record.Term) bool { return t.Not && isAboutNames(t) }
	return f.store.db.Dialect == sqldb.Postgres && slices.ContainsFunc(f.query.Terms, excludes)
}

// isAboutNames reports whether the names of the labels of a request decide if it matches a term.
func isAboutNames(t record.Term) bool {
	byValue := func(t record.Test) bool { return t.Op != record.Any }
	_, metadata := t.Field.MetadataName()
	return t.Field == record.ByTag || metadata && !slices.ContainsFunc(t.Tests, byValue)
}

// nameSetsStatement returns a statement that reads each set of names from the index, with one
// request each, and whether it matches the terms about names.
func (f *finder) nameSetsStatement() (string, []any) {
	in := f.searchedRange()
	w := f.store.newWhere(record.Query{Account: f.query.Account}).addDays(in)
	requests := w.text.String()
	w.text.Reset()
	for _, t := range f.query.Terms {
		if isAboutNames(t) {
			w.writeTerm(t)
		}
	}
	return `WITH RECURSIVE sets AS (
		(SELECT ` + labelNames + ` AS hash, labels, 1 AS number FROM requests WHERE ` + requests + ` ORDER BY 1 LIMIT 1)
		UNION ALL
		SELECT next.hash, next.labels, number + 1 FROM sets CROSS JOIN LATERAL (
			SELECT ` + labelNames + ` AS hash, labels FROM requests
			WHERE ` + requests + ` AND ` + labelNames + ` > sets.hash ORDER BY 1 LIMIT 1) AS next
		WHERE number <= ` + strconv.Itoa(maxNameSets) + `)
		SELECT hash, (TRUE` + w.text.String() + `) FROM sets`, w.args
}

// addNameSets adds the condition that lets Postgres use the index requests_label_names. Every match
// meets it.
func (w *whereClause) addNameSets(sets *nameSets) *whereClause {
	if sets != nil && !sets.tooMany {
		w.addCondition(labelNames+" = ANY (", sets.hashes)
		w.text.WriteString("::bigint[])")
	}
	return w
}
