package sqldb

import (
	"context"
	"database/sql"
)

// Querier is implemented by sql.DB and sql.Tx.
type Querier interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// EachRow runs a query and calls each for every row of the result. It stops at the first error.
func EachRow(ctx context.Context, db Querier, statement string, args []any, each func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// QueryAll runs a query and returns what scan reads from every row of the result.
func QueryAll[T any](ctx context.Context, db Querier, statement string, args []any, scan func(*sql.Rows) (T, error)) ([]T, error) {
	var all []T
	err := EachRow(ctx, db, statement, args, func(rows *sql.Rows) error {
		v, err := scan(rows)
		all = append(all, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ScanColumn reads a row with one column.
func ScanColumn[T any](rows *sql.Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}
