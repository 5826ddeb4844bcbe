package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// names are the values, by column, that have a text in them.
type names map[string][]any

// named is where names are looked for.
var named = []string{"key_id", "key_name", "model", "provider"}

// maxNames is how many different rows of names are looked at. An account that
// has more is searched without.
const maxNames = 2000

// jump finds each row of names once, in Postgres, by an index: there may be
// hundreds of thousands of sums, and a hundred different names in them.
var jump = func() string {
	all := strings.Join(named, ", ")
	one := `(SELECT ` + all + ` FROM hourly WHERE account_id = $1`
	first := ` ORDER BY ` + all + ` LIMIT 1)`
	return `WITH RECURSIVE found AS (` + one + first + ` UNION ALL SELECT next.* FROM found, LATERAL ` +
		one + ` AND (` + all + `) > (found.` + strings.Join(named, ", found.") + `)` + first + ` next)
		SELECT ` + all + ` FROM found LIMIT ` + strconv.Itoa(maxNames+1)
}()

// resolve looks up, once, which names have the texts of the query in them.
func (f *finder) resolve(ctx context.Context) error {
	if f.names != nil {
		return nil
	}
	f.names = map[string]names{}
	for _, t := range f.query.Terms {
		if t.Field == record.ByText && !t.Not {
			f.names[t.Tests[0].Text] = names{}
		}
	}
	if len(f.names) == 0 {
		return nil
	}
	rows := 0
	err := ask(ctx, f.store.db.Read(), jump, []any{f.query.Account}, func(r *sql.Rows) error {
		rows++
		return f.name(r)
	})
	switch {
	case err != nil:
		f.names = nil // not known
	case rows > maxNames:
		f.names = map[string]names{}
	}
	return err
}

// name notes what a row has of the texts.
func (f *finder) name(row *sql.Rows) error {
	values := make([]string, len(named))
	into := make([]any, len(named))
	for i := range values {
		into[i] = &values[i]
	}
	if err := row.Scan(into...); err != nil {
		return err
	}
	for text, found := range f.names {
		for i, column := range named {
			if v := values[i]; strings.Contains(lowerASCII(v), lowerASCII(text)) && !slices.Contains(found[column], any(v)) {
				found[column] = append(found[column], v)
			}
		}
	}
	return nil
}
