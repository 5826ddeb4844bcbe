// Package store keeps the versions of the policy and which of them was in
// force when, in SQLite or Postgres. It is the only part of the router that touches
// storage; what the versions mean is the engine's.
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

// Store is an engine.Store. It is safe for concurrent use.
type Store struct{ db *sqldb.DB }

// Open opens the store at the url and brings its tables up to date. The
// caller closes it.
func Open(ctx context.Context, url string) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	db, err := sqldb.Open(ctx, url, sqldb.Options{Schema: "router", Migrations: files})
	if err != nil {
		return nil, err
	}
	return &Store{db: db}, nil
}

// Ping reports whether the store answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close releases the store.
func (s *Store) Close() error { return s.db.Close() }

const selectLatest = `SELECT COALESCE(MAX(id), 0) FROM activations`

// Latest is the number of the last activation.
func (s *Store) Latest(ctx context.Context) (n int64, err error) {
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

// Activate keeps a version, unless it is kept already, and puts it in force.
// The error is engine.ErrMoved if over is not in force any more.
func (s *Store) Activate(ctx context.Context, v engine.Version, over string) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.stillInForce(ctx, tx, over); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, insertVersion, v.Name, v.Document, v.Compiled, v.Origin, v.Author, v.Created.UnixMicro(), v.Note); err != nil {
			return err
		}
		text, err := another(ctx, tx, v)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, insertActivation, v.Name, v.Origin, v.Author, v.Activated.UnixMicro(), v.Note, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("activate a version: %w", err)
	}
	return nil
}

const (
	lockActivations = `LOCK TABLE activations IN SHARE ROW EXCLUSIVE MODE`
	selectInForce   = `SELECT version FROM activations ORDER BY id DESC LIMIT 1`
)

// stillInForce makes those who activate take turns, which on SQLite they do
// anyway.
func (s *Store) stillInForce(ctx context.Context, tx *sql.Tx, over string) error {
	if s.db.Dialect == sqldb.Postgres {
		if _, err := tx.ExecContext(ctx, lockActivations); err != nil {
			return err
		}
	}
	if over == "" {
		return nil
	}
	var now string
	err := tx.QueryRowContext(ctx, selectInForce).Scan(&now)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if now != over {
		return engine.ErrMoved
	}
	return nil
}

// another is the text of a version that is kept already, where it is written
// anew.
func another(ctx context.Context, tx *sql.Tx, v engine.Version) (text sql.NullString, err error) {
	var kept string
	err = tx.QueryRowContext(ctx, selectDocument, v.Name).Scan(&kept)
	return sql.NullString{String: v.Document, Valid: kept != v.Document}, err
}

func fromMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }
