// Package store keeps accounts, people, sessions and keys in SQLite or
// Postgres. The queries are the same for both; what differs is in the
// migrations and in how writers take turns. It decides nothing: the rules are
// in the domain, which declares the interface implemented here.
package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

//go:embed migrations
var migrations embed.FS

// Store implements account.Store.
type Store struct {
	rows
	db *sqldb.DB
}

// Open opens the store named by url and brings its schema up to date.
func Open(ctx context.Context, url string) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	db, err := sqldb.Open(ctx, url, sqldb.Options{
		Schema: "keyauth", Migrations: files, Params: map[string]string{"signalbox.fence": "on"},
	})
	if err != nil {
		return nil, err
	}
	var q reader = plain{db.Read()}
	if db.Dialect == sqldb.Postgres {
		q = fencedDB{db.Read()}
	}
	return &Store{rows: rows{q}, db: db}, nil
}

// Ping reports whether the store answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes the store after running queries have ended.
func (s *Store) Close() error { return s.db.Close() }

const unfenced = `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`

// Unfenced reports whether Postgres does not keep accounts apart by itself:
// for a superuser it does not. SQLite never does, and is not asked to.
func (s *Store) Unfenced(ctx context.Context) (bool, error) {
	if s.db.Dialect != sqldb.Postgres {
		return false, nil
	}
	var mighty bool
	err := first(ctx, s.q, scope{}, unfenced, nil, &mighty)
	return mighty, err
}

// lockInstallation makes the writers of Postgres take turns as those of SQLite
// do. It also keeps the change log in order: no version becomes visible before
// a lower one.
const lockInstallation = `SELECT version FROM installation FOR UPDATE`

// Write runs f in one transaction; see account.Store.
func (s *Store) Write(ctx context.Context, f func(account.Tx) error) error {
	return s.write(ctx, func(w writer) error {
		if s.db.Dialect == sqldb.Postgres {
			if _, err := w.exec(ctx, scope{}, lockInstallation); err != nil {
				return fmt.Errorf("wait for other writers: %w", err)
			}
		}
		return f(&tx{rows{w}, w})
	})
}

// write runs f in one transaction without waiting for other writers.
func (s *Store) write(ctx context.Context, f func(writer) error) error {
	return s.db.Write(ctx, func(t *sql.Tx) error {
		if s.db.Dialect == sqldb.Postgres {
			return f(&fencedTx{plain: plain{t}})
		}
		return f(plain{t})
	})
}

const (
	readPepper = `SELECT pepper_check FROM installation`
	pinPepper  = `UPDATE installation SET pepper_check = $1 WHERE pepper_check IS NULL`
)

// PepperCheck is what proves the pepper that keys were made with; nil if none
// was pinned yet.
func (s *Store) PepperCheck(ctx context.Context) ([]byte, error) {
	var check []byte
	err := first(ctx, s.q, scope{}, readPepper, nil, &check)
	return check, err
}

// PinPepper keeps check for good, unless one is kept already, and returns the
// one that is kept.
func (s *Store) PinPepper(ctx context.Context, check []byte) ([]byte, error) {
	err := s.write(ctx, func(w writer) error {
		_, err := w.exec(ctx, scope{}, pinPepper, check)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.PepperCheck(ctx)
}

// rows are the reads, and tx the writes beside them.
type rows struct{ q reader }

type tx struct {
	rows
	w writer
}

// run is for statements of which it does not matter how many rows they change.
func (t *tx) run(ctx context.Context, s scope, what, statement string, args ...any) error {
	if _, err := t.w.exec(ctx, s, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
