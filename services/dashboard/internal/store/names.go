package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// nameMatches holds the names that contain one free-text term, by column.
type nameMatches map[string][]any

// nameColumns lists the columns in which free text matches parts of names.
var nameColumns = []string{"key_id", "key_name", "model", "provider"}

// maxNameCombinations limits how many combinations of names resolveNames reads. For an
// account with more combinations, the search compares the names of every request.
const maxNameCombinations = 2000

// distinctNamesQuery is a query for the distinct combinations of names of an account.
// It is used only on Postgres. The recursive query jumps along an index from one
// combination to the next. There may be hundreds of thousands of aggregate rows
// with only a hundred combinations.
var distinctNamesQuery = func() string {
	all := strings.Join(nameColumns, ", ")
	one := `(SELECT ` + all + ` FROM hourly WHERE account_id = $1`
	first := ` ORDER BY ` + all + ` LIMIT 1)`
	return `WITH RECURSIVE found AS (` + one + first + ` UNION ALL SELECT next.* FROM found, LATERAL ` +
		one + ` AND (` + all + `) > (found.` + strings.Join(nameColumns, ", found.") + `)` + first + ` next)
		SELECT ` + all + ` FROM found LIMIT ` + strconv.Itoa(maxNameCombinations+1)
}()

// resolveNames finds the names that contain the free-text terms, except negated terms.
// It does nothing if the names of this search are already known.
func (f *finder) resolveNames(ctx context.Context) error {
	if f.names != nil {
		return nil
	}
	f.names = map[string]nameMatches{}
	for _, t := range f.query.Terms {
		if t.Field == record.ByText && !t.Not {
			f.names[t.Tests[0].Text] = nameMatches{}
		}
	}
	if len(f.names) == 0 {
		return nil
	}
	rows := 0
	err := sqldb.EachRow(ctx, f.store.db.Replica(), distinctNamesQuery, []any{f.query.Account}, func(r *sql.Rows) error {
		rows++
		return f.matchNames(r)
	})
	switch {
	case err != nil:
		f.names = nil // unknown, so the next call tries again
	case rows > maxNameCombinations:
		f.names = map[string]nameMatches{}
	}
	return err
}

// matchNames adds the names of one row that contain a free-text term to f.names.
func (f *finder) matchNames(row *sql.Rows) error {
	values := make([]string, len(nameColumns))
	into := make([]any, len(nameColumns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := row.Scan(into...); err != nil {
		return err
	}
	for text, found := range f.names {
		for i, column := range nameColumns {
			if v := values[i]; strings.Contains(lowerASCII(v), lowerASCII(text)) && !slices.Contains(found[column], any(v)) {
				found[column] = append(found[column], v)
			}
		}
	}
	return nil
}
