// Package sessionstore stores the states of sessions in a SQLite file, so that they survive a
// restart of the all-in-one. The proxy encodes the states, and reads all of them when it starts.
// It implements proxy.SessionFile.
package sessionstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/proxy"
)

//go:embed migrations
var migrations embed.FS

// FileName is the name of the file in the data directory.
const FileName = "sessions.db"

// maxSessions is the maximum number of stored sessions. When there are more, Save deletes those
// that expire first.
const maxSessions = 20_000

// Store implements proxy.SessionFile. It is safe for concurrent use.
type Store struct{ db *sqldb.DB }

// Open opens the store in a data directory. The caller must close it.
func Open(ctx context.Context, data string) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	db, err := sqldb.Open(ctx, sqldb.SQLiteURL(filepath.Join(data, FileName)), sqldb.Options{Migrations: files})
	if err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

const selectAll = `SELECT key, state, expires_ms FROM sessions WHERE expires_ms > $1 ORDER BY expires_ms`

// LoadAll returns the states that expire after a time in Unix milliseconds, the oldest first.
func (s *Store) LoadAll(ctx context.Context, after int64) ([]proxy.SavedSession, error) {
	return sqldb.QueryAll(ctx, s.db.Read(), selectAll, []any{after}, func(rows *sql.Rows) (one proxy.SavedSession, err error) {
		return one, rows.Scan(&one.Key, &one.State, &one.Expires)
	})
}

const (
	upsert = `
INSERT INTO sessions (key, state, expires_ms) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET state = excluded.state, expires_ms = excluded.expires_ms`
	deleteExpired = `DELETE FROM sessions WHERE expires_ms <= $1`
	deleteExcess  = `
DELETE FROM sessions WHERE key IN (
    SELECT key FROM sessions ORDER BY expires_ms LIMIT max(0, (SELECT COUNT(*) FROM sessions) - $1))`
)

// Save replaces the states of sessions in one transaction, and deletes what is no longer needed.
func (s *Store) Save(ctx context.Context, states []proxy.SavedSession) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		for i := range states {
			if _, err := tx.ExecContext(ctx, upsert, states[i].Key, states[i].State, states[i].Expires); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, deleteExpired, time.Now().UnixMilli()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, deleteExcess, maxSessions)
		return err
	})
	if err != nil {
		return fmt.Errorf("save sessions: %w", err)
	}
	return nil
}
