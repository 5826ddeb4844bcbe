package store

import (
	"context"
	"database/sql"
)

// Count answers a query of one number, for tests of what no caller can see.
func (s *Store) Count(ctx context.Context, query string) (n int, err error) {
	err = s.db.Read().QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// Exec changes the store behind its back.
func (s *Store) Exec(ctx context.Context, statement string) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	})
}
