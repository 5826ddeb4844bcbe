package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// kind is the type of a column.
type kind int

const (
	aText    kind = iota // string
	aBlob                // []byte
	aCount               // int64
	anAmount             // *int64, nil where it is not known
)

// array is the type's name in Postgres, of many.
func (k kind) array() string { return [...]string{"text[]", "bytea[]", "bigint[]", "bigint[]"}[k] }

type column struct {
	name string
	kind kind
}

// table is what rows are inserted into, many at a time.
type table struct {
	name    string
	columns []column
	key     string
	// tell is whether it is of interest which rows were not there; the first
	// column is then the id.
	tell bool
	// conflict is what to do with a row that is there; empty leaves it as it is.
	conflict string
}

// insert stores the rows and, if the table is to tell, returns the ids of those
// that were not there.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, t table, rows [][]any) (fresh map[string]bool, err error) {
	switch {
	case len(rows) == 0:
		return nil, nil
	case s.db.Dialect == sqldb.SQLite:
		fresh, err = t.insertEach(ctx, tx, rows)
	default:
		fresh, err = t.insertMany(ctx, tx, rows)
	}
	if err != nil {
		return nil, fmt.Errorf("insert into %s: %w", t.name, err)
	}
	return fresh, nil
}

// insertEach is for SQLite, which has no round trips to save, and looks the
// parameters of a statement up one after the other.
func (t table) insertEach(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
	stmt, err := tx.PrepareContext(ctx, t.into()+"VALUES ("+t.parameters(false)+")"+t.otherwise())
	if err != nil {
		return nil, err
	}
	defer func() { _ = stmt.Close() }()
	fresh := make(map[string]bool, len(rows))
	for _, row := range rows {
		result, err := stmt.ExecContext(ctx, row...)
		if err != nil {
			return nil, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return nil, err
		}
		if t.tell && n > 0 {
			fresh[string(row[0].([]byte))] = true
		}
	}
	return fresh, nil
}

// insertMany is for Postgres: one statement that is the same for any number of
// rows, so that it stays prepared, with one array a column. It was faster than
// lists of values, and than COPY into a table beside with a second statement.
func (t table) insertMany(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
	args := make([]any, len(t.columns))
	for i, c := range t.columns {
		args[i] = c.array(rows, i)
	}
	statement := t.into() + "SELECT * FROM unnest(" + t.parameters(true) + ")" + t.otherwise()
	if !t.tell {
		_, err := tx.ExecContext(ctx, statement, args...)
		return nil, err
	}
	found, err := tx.QueryContext(ctx, statement+" RETURNING "+t.columns[0].name, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	fresh := make(map[string]bool, len(rows))
	for found.Next() {
		var id sql.RawBytes
		if err := found.Scan(&id); err != nil {
			return nil, err
		}
		fresh[string(id)] = true
	}
	return fresh, found.Err()
}

func (c column) array(rows [][]any, i int) any {
	switch c.kind {
	case aText:
		return gather(rows, func(row []any) string { return row[i].(string) })
	case aBlob:
		return gather(rows, func(row []any) []byte { return row[i].([]byte) })
	case aCount:
		return gather(rows, func(row []any) int64 { return row[i].(int64) })
	default:
		return gather(rows, func(row []any) *int64 { return row[i].(*int64) })
	}
}

func gather[T any](rows [][]any, cell func([]any) T) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = cell(row)
	}
	return out
}

func (t table) into() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") "
}

func (t table) parameters(arrays bool) string {
	all := make([]string, len(t.columns))
	for i, c := range t.columns {
		all[i] = "$" + strconv.Itoa(i+1)
		if arrays {
			all[i] += "::" + c.kind.array()
		}
	}
	return strings.Join(all, ", ")
}

func (t table) otherwise() string {
	if t.conflict != "" {
		return " ON CONFLICT (" + t.key + ") DO UPDATE SET " + t.conflict
	}
	return " ON CONFLICT (" + t.key + ") DO NOTHING"
}
