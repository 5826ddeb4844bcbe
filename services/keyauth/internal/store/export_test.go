package store

import (
	"context"
	"database/sql"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// LeftScope returns the scope that is still set on a pooled connection. It must be
// empty.
func (s *Store) LeftScope(ctx context.Context) (string, error) {
	var left string
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT COALESCE(current_setting('signalbox.account', TRUE), '') || COALESCE(current_setting('signalbox.cross_account', TRUE), '')`).Scan(&left)
	return left, err
}

// UndoFeedbackScope makes the next Open apply the migration of the feedback scope, and those
// after it, again.
func (s *Store) UndoFeedbackScope(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DROP TABLE api_tokens`, `DROP TABLE identities`, `ALTER TABLE sessions DROP COLUMN issuer`,
			`ALTER TABLE accounts DROP COLUMN allow_experiments`, `DROP INDEX keys_playground`, `ALTER TABLE keys DROP COLUMN playground_user`, `DROP TABLE budgets`,
			`ALTER TABLE keys DROP COLUMN pinned_user`, `ALTER TABLE keys DROP COLUMN pinned_agent`, `DELETE FROM migrations WHERE number >= 2`,
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteUserRow deletes a user as a version does that knows no tokens and no identities.
func (s *Store) DeleteUserRow(ctx context.Context, u access.User) error {
	return s.Write(ctx, func(one account.Tx) error {
		return requireChange(one.(*tx).w.exec(ctx, inAccount(u.AccountID), deleteUser, u.AccountID, u.ID))
	})
}
