// Package store keeps the versions of the policy and which of them was in
// force, in SQLite or Postgres. It is the only part of the router that touches
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

const selectActive = `
SELECT v.version, v.document, v.compiled, a.origin, a.author, v.created_us, a.activated_us
FROM activations a JOIN versions v ON v.version = a.version
ORDER BY a.id DESC LIMIT 1`

// Active returns the version in force, or false when there never was one.
func (s *Store) Active(ctx context.Context) (engine.Version, bool, error) {
	v := engine.Version{Active: true}
	var created, activated int64
	err := s.db.Read().QueryRowContext(ctx, selectActive).
		Scan(&v.Name, &v.Document, &v.Compiled, &v.Origin, &v.Author, &created, &activated)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Version{}, false, nil
	}
	if err != nil {
		return engine.Version{}, false, fmt.Errorf("read the active version: %w", err)
	}
	v.Created, v.Activated = fromMicro(created), fromMicro(activated)
	return v, true, nil
}

const insertVersion = `
INSERT INTO versions (version, document, compiled, origin, author, created_us)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (version) DO NOTHING`

const insertActivation = `
INSERT INTO activations (version, origin, author, activated_us) VALUES ($1, $2, $3, $4)`

// Activate keeps a version, unless it is kept already, and puts it in force.
func (s *Store) Activate(ctx context.Context, v engine.Version) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, insertVersion, v.Name, v.Document, v.Compiled, v.Origin, v.Author, v.Created.UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, insertActivation, v.Name, v.Origin, v.Author, v.Activated.UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("activate a version: %w", err)
	}
	return nil
}

const selectVersions = `
SELECT version, document, compiled, origin, author, created_us,
       version = (SELECT version FROM activations ORDER BY id DESC LIMIT 1)
FROM versions ORDER BY created_us DESC, version LIMIT $1`

// List returns the newest versions first.
func (s *Store) List(ctx context.Context, limit int) ([]engine.Version, error) {
	rows, err := s.db.Read().QueryContext(ctx, selectVersions, limit)
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []engine.Version
	for rows.Next() {
		var v engine.Version
		var created int64
		if err := rows.Scan(&v.Name, &v.Document, &v.Compiled, &v.Origin, &v.Author, &created, &v.Active); err != nil {
			return nil, fmt.Errorf("list versions: %w", err)
		}
		v.Created = fromMicro(created)
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	return all, nil
}

func fromMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }
