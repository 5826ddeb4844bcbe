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

// UndoFeedbackMigration makes the next Open apply the second migration and the later ones
// again.
func (s *Store) UndoFeedbackMigration(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `ALTER TABLE accounts DROP COLUMN allow_experiments`)
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM migrations WHERE number >= 2`)
		}
		return err
	})
}
