package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// columnKind is the type of a column's values.
type columnKind int

const (
	kindText        columnKind = iota // string
	kindBytes                         // []byte
	kindInt                           // int64
	kindNullableInt                   // *int64, nil if unknown
)

func (k columnKind) arrayType() string {
	return [...]string{"text[]", "bytea[]", "bigint[]", "bigint[]"}[k]
}

type column struct {
	name string
	kind columnKind
}

// table describes a table for bulk inserts.
type table struct {
	name    string
	columns []column
	key     string
	// reportNew makes insertRows report which rows are new. The first column must
	// then be the id.
	reportNew bool
	// onConflict is the SQL that updates a row that already exists. If it is empty,
	// insertRows ignores such rows.
	onConflict string
}

// insertRows inserts the rows. If the table has reportNew, it returns the ids of
// the new rows.
func (s *Store) insertRows(ctx context.Context, tx *sql.Tx, t table, rows [][]any) (fresh map[string]bool, err error) {
	switch {
	case len(rows) == 0:
		return nil, nil
	case s.db.Dialect == sqldb.SQLite:
		fresh, err = t.insertOneByOne(ctx, tx, rows)
	default:
		fresh, err = t.insertArrays(ctx, tx, rows)
	}
	if err != nil {
		return nil, fmt.Errorf("insert into %s: %w", t.name, err)
	}
	return fresh, nil
}

// insertOneByOne is for SQLite. SQLite has no network round trips, but binds the
// parameters of large statements slowly.
func (t table) insertOneByOne(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
	stmt, err := tx.PrepareContext(ctx, t.insertClause()+"VALUES ("+t.placeholders(false)+")"+t.conflictClause())
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
		if t.reportNew && n > 0 {
			fresh[string(row[0].([]byte))] = true
		}
	}
	return fresh, nil
}

// insertArrays is for Postgres. It passes one array per column. The statement thus
// has the same text for any number of rows, and stays prepared. In measurements it
// was faster than lists of VALUES, and faster than COPY into a staging table.
func (t table) insertArrays(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
	args := make([]any, len(t.columns))
	for i, c := range t.columns {
		args[i] = c.toArray(rows, i)
	}
	statement := t.insertClause() + "SELECT * FROM unnest(" + t.placeholders(true) + ")" + t.conflictClause()
	if !t.reportNew {
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

func (c column) toArray(rows [][]any, i int) any {
	switch c.kind {
	case kindText:
		return collectCells(rows, func(row []any) string { return row[i].(string) })
	case kindBytes:
		return collectCells(rows, func(row []any) []byte { return row[i].([]byte) })
	case kindInt:
		return collectCells(rows, func(row []any) int64 { return row[i].(int64) })
	default:
		return collectCells(rows, func(row []any) *int64 { return row[i].(*int64) })
	}
}

func collectCells[T any](rows [][]any, cell func([]any) T) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = cell(row)
	}
	return out
}

func (t table) insertClause() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") "
}

func (t table) placeholders(arrays bool) string {
	all := make([]string, len(t.columns))
	for i, c := range t.columns {
		all[i] = "$" + strconv.Itoa(i+1)
		if arrays {
			all[i] += "::" + c.kind.arrayType()
		}
	}
	return strings.Join(all, ", ")
}

func (t table) conflictClause() string {
	if t.onConflict != "" {
		return " ON CONFLICT (" + t.key + ") DO UPDATE SET " + t.onConflict
	}
	return " ON CONFLICT (" + t.key + ") DO NOTHING"
}
