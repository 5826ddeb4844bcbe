package store

import "context"

// LeftScope returns the scope that is still set on a pooled connection. It must be
// empty.
func (s *Store) LeftScope(ctx context.Context) (string, error) {
	var left string
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT COALESCE(current_setting('signalbox.account', TRUE), '') || COALESCE(current_setting('signalbox.cross_account', TRUE), '')`).Scan(&left)
	return left, err
}
