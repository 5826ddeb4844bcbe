// Package store stores the versions of the policy, the history of their activations,
// and their rollouts in SQLite or Postgres. It is the only package of the router that
// accesses a database. The engine defines what versions mean.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

//go:embed migrations
var migrations embed.FS

// Store implements engine.Store. It is safe for concurrent use.
type Store struct{ db *sqldb.DB }

// Open opens the store at the URL and migrates its tables. The caller must close it.
func Open(ctx context.Context, url string) (*Store, error) {
	o, err := Options()
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Options returns the schema of the store and its migrations.
func Options() (sqldb.Options, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return sqldb.Options{}, fmt.Errorf("read migrations: %w", err)
	}
	return sqldb.Options{Schema: "router", Migrations: files}, nil
}

// Ping reports whether the store responds.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

const selectLatest = `SELECT COALESCE(MAX(id), 0) FROM activations`

// LatestActivation returns the number of the last activation.
func (s *Store) LatestActivation(ctx context.Context) (n int64, err error) {
	if err := s.db.Read().QueryRowContext(ctx, selectLatest).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the last activation: %w", err)
	}
	return n, nil
}

const insertVersion = `
INSERT INTO versions (version, document, compiled, origin, author, created_us, note)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (version) DO NOTHING`

const selectDocument = `SELECT document FROM versions WHERE version = $1`

const insertActivation = `
INSERT INTO activations (version, origin, author, activated_us, note, document)
VALUES ($1, $2, $3, $4, $5, $6)`

// Activate stores a version, unless it is already stored, and makes it active. It ends an
// open rollout. If expected is set and another version is active, it returns
// engine.ErrConflict.
func (s *Store) Activate(ctx context.Context, v engine.Version, expected string) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.checkExpected(ctx, tx, expected); err != nil {
			return err
		}
		if err := supersedeOpen(ctx, tx, v); err != nil {
			return err
		}
		return activateVersion(ctx, tx, v)
	})
	if err != nil {
		return fmt.Errorf("activate version: %w", err)
	}
	return nil
}

func activateVersion(ctx context.Context, tx *sql.Tx, v engine.Version) error {
	if err := insertNewVersion(ctx, tx, v); err != nil {
		return err
	}
	text, err := changedDocument(ctx, tx, v)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertActivation, v.Name, v.Origin, v.Author, v.Activated.UnixMicro(), v.Note, text)
	return err
}

// insertNewVersion stores a version, unless it is already stored.
func insertNewVersion(ctx context.Context, tx *sql.Tx, v engine.Version) error {
	_, err := tx.ExecContext(ctx, insertVersion, v.Name, v.Document, v.Compiled, v.Origin, v.Author, v.Created.UnixMicro(), v.Note)
	return err
}

const (
	lockActivations  = `LOCK TABLE activations IN SHARE ROW EXCLUSIVE MODE`
	selectActiveName = `SELECT version FROM activations ORDER BY id DESC LIMIT 1`
)

// checkExpected returns engine.ErrConflict if expected is set and another version is
// active. On Postgres it also locks the table, so that activations run one after the
// other. SQLite needs no lock, because it serializes all writes.
func (s *Store) checkExpected(ctx context.Context, tx *sql.Tx, expected string) error {
	if s.db.Dialect == sqldb.Postgres {
		if _, err := tx.ExecContext(ctx, lockActivations); err != nil {
			return err
		}
	}
	if expected == "" {
		return nil
	}
	var active string
	err := tx.QueryRowContext(ctx, selectActiveName).Scan(&active)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if active != expected {
		return engine.ErrConflict
	}
	return nil
}

// changedDocument returns the document of v if it differs from the stored document of the
// same version. Otherwise it returns NULL.
func changedDocument(ctx context.Context, tx *sql.Tx, v engine.Version) (text sql.NullString, err error) {
	var stored string
	err = tx.QueryRowContext(ctx, selectDocument, v.Name).Scan(&stored)
	return sql.NullString{String: v.Document, Valid: stored != v.Document}, err
}

func fromUnixMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }
