package store

import "context"

// LeftScope is what a connection of the pool still names, which must be
// nothing.
func (s *Store) LeftScope(ctx context.Context) (string, error) {
	var left string
	err := s.db.Read().QueryRowContext(ctx,
		`SELECT COALESCE(current_setting('signalbox.account', TRUE), '') || COALESCE(current_setting('signalbox.across', TRUE), '')`).Scan(&left)
	return left, err
}
