package store

import (
	"context"
	"database/sql"
)

// LeftScope returns the scope that is still set on a pooled connection. It must be
// empty.
func (s *Store) LeftScope(ctx context.Context) (string, error) {
	var left string
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT COALESCE(current_setting('signalbox.account', TRUE), '') || COALESCE(current_setting('signalbox.cross_account', TRUE), '')`).Scan(&left)
	return left, err
}

// UndoMigration makes the next Open apply a migration again.
func (s *Store) UndoMigration(ctx context.Context, number int) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM migrations WHERE number = $1`, number)
		return err
	})
}
