// Package bulk inserts many rows into a table: with one prepared statement per row on
// SQLite, and with one statement or one COPY for all rows on Postgres. A Table names the columns
// and says what happens to rows that already exist. Package store writes its batches
// with it.
package bulk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// columnKind is the type of a column's values.
type columnKind int

const (
	kindText        columnKind = iota // string
	kindBytes                         // []byte
	kindInt                           // int64
	kindNullableInt                   // *int64, nil if unknown
	kindJSON                          // string with a JSON value
	kindFloat                         // float64
)

func (k columnKind) arrayType() string {
	return [...]string{"text[]", "bytea[]", "bigint[]", "bigint[]", "jsonb[]", "double precision[]"}[k]
}

// Column is a column of a table with the type of its values.
type Column struct {
	Name string
	kind columnKind
}

// Text returns a column of strings.
func Text(name string) Column { return Column{name, kindText} }

// Bytes returns a column of []byte.
func Bytes(name string) Column { return Column{name, kindBytes} }

// Int returns a column of int64.
func Int(name string) Column { return Column{name, kindInt} }

// NullableInt returns a column of *int64, which are nil if unknown.
func NullableInt(name string) Column { return Column{name, kindNullableInt} }

// JSON returns a column of strings with JSON values. Postgres stores them as jsonb.
func JSON(name string) Column { return Column{name, kindJSON} }

// Float returns a column of float64.
func Float(name string) Column { return Column{name, kindFloat} }

// inTransaction is how Postgres reports a transaction that has not failed.
const inTransaction = 'T'

// Table describes a table for bulk inserts.
type Table struct {
	Name    string
	Columns []Column
	Key     string
	// ReportNew makes Insert report which rows are new. The first column must then be
	// the id.
	ReportNew bool
	// OnConflict is the SQL that updates a row that already exists. If it is empty,
	// Insert ignores such rows.
	OnConflict string
}

// Insert inserts the rows. If the table has ReportNew, it returns the ids of the new
// rows.
func (t Table) Insert(ctx context.Context, tx *sql.Tx, dialect sqldb.Dialect, rows [][]any) (fresh map[string]bool, err error) {
	switch {
	case len(rows) == 0:
		return nil, nil
	case dialect == sqldb.SQLite:
		fresh, err = t.insertOneByOne(ctx, tx, rows)
	default:
		fresh, err = t.insertArrays(ctx, tx, rows)
	}
	if err != nil {
		return nil, fmt.Errorf("insert into %s: %w", t.Name, err)
	}
	return fresh, nil
}

// Copy inserts rows that do not exist yet, on Postgres, over the connection of a transaction. It is faster
// than Insert: Postgres need not look for each row first, and writes many rows of a page at once. If a row
// exists, Copy fails with a unique violation, and the transaction with it. Copy fails without a transaction.
func (t Table) Copy(ctx context.Context, conn *sql.Conn, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	// The function must neither panic nor return driver.ErrBadConn. Raw would then wait for the end of the
	// transaction, which is waiting for Raw.
	err := conn.Raw(func(driver any) error {
		pg, ok := driver.(*stdlib.Conn)
		if !ok {
			return errors.New("not a connection of Postgres")
		}
		// Rows that are copied outside a transaction would stay stored if a later step of the batch fails.
		if pg.Conn().PgConn().TxStatus() != inTransaction {
			return errors.New("the connection is not in a usable transaction")
		}
		_, err := pg.Conn().CopyFrom(ctx, pgx.Identifier{t.Name}, t.columnNames(), pgx.CopyFromRows(rows))
		return err
	})
	if err != nil {
		return fmt.Errorf("copy into %s: %w", t.Name, err)
	}
	return nil
}

// insertOneByOne is for SQLite. SQLite has no network round trips, but binds the
// parameters of large statements slowly.
func (t Table) insertOneByOne(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
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
		if t.ReportNew && n > 0 {
			fresh[string(row[0].([]byte))] = true
		}
	}
	return fresh, nil
}

// insertArrays is for Postgres. It passes one array per column. The statement thus
// has the same text for any number of rows, and stays prepared. In measurements it
// was faster than lists of VALUES, and faster than COPY into a staging table.
func (t Table) insertArrays(ctx context.Context, tx *sql.Tx, rows [][]any) (map[string]bool, error) {
	args := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		args[i] = c.toArray(rows, i)
	}
	statement := t.insertClause() + "SELECT * FROM unnest(" + t.placeholders(true) + ")" + t.conflictClause()
	if !t.ReportNew {
		_, err := tx.ExecContext(ctx, statement, args...)
		return nil, err
	}
	fresh := make(map[string]bool, len(rows))
	err := sqldb.EachRow(ctx, tx, statement+" RETURNING "+t.Columns[0].Name, args, func(found *sql.Rows) error {
		id, err := sqldb.ScanColumn[sql.RawBytes](found)
		fresh[string(id)] = true
		return err
	})
	return fresh, err
}

func (c Column) toArray(rows [][]any, i int) any {
	switch c.kind {
	case kindText, kindJSON:
		return collectCells(rows, func(row []any) string { return row[i].(string) })
	case kindBytes:
		return collectCells(rows, func(row []any) []byte { return row[i].([]byte) })
	case kindInt:
		return collectCells(rows, func(row []any) int64 { return row[i].(int64) })
	case kindFloat:
		return collectCells(rows, func(row []any) float64 { return row[i].(float64) })
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

func (t Table) insertClause() string {
	return "INSERT INTO " + t.Name + " (" + strings.Join(t.columnNames(), ", ") + ") "
}

func (t Table) columnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

func (t Table) placeholders(arrays bool) string {
	all := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = "$" + strconv.Itoa(i+1)
		if arrays {
			all[i] += "::" + c.kind.arrayType()
		}
	}
	return strings.Join(all, ", ")
}

func (t Table) conflictClause() string {
	if t.OnConflict != "" {
		return " ON CONFLICT (" + t.Key + ") DO UPDATE SET " + t.OnConflict
	}
	return " ON CONFLICT (" + t.Key + ") DO NOTHING"
}
