// Package store implements account.Store on SQLite and Postgres. The queries are the
// same for both. The migrations and the locking of writers differ. In Postgres, row
// security limits the rows that a statement can access; see the type scope. The store
// contains no business rules. The account package contains them.
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

// Open opens the store at url and migrates its schema.
func Open(ctx context.Context, url string) (*Store, error) {
	o, err := Options()
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	var q reader = plain{db.Read()}
	if db.Dialect == sqldb.Postgres {
		q = scopedDB{db.Read()}
	}
	return &Store{rows: rows{q}, db: db}, nil
}

// Options returns the schema of the store and its migrations.
func Options() (sqldb.Options, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return sqldb.Options{}, fmt.Errorf("read migrations: %w", err)
	}
	return sqldb.Options{Schema: "keyauth", Migrations: files}, nil
}

// Ping reports whether the store responds.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close waits for running queries and closes the store.
func (s *Store) Close() error { return s.db.Close() }

const selectBypass = `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`

// BypassesRowSecurity reports whether row security does not apply to the Postgres login,
// for example because it is a superuser. It returns false for SQLite, which has no row
// security.
func (s *Store) BypassesRowSecurity(ctx context.Context) (bool, error) {
	if s.db.Dialect != sqldb.Postgres {
		return false, nil
	}
	var bypasses bool
	err := queryRow(ctx, s.q, scope{}, selectBypass, nil, &bypasses)
	return bypasses, err
}

// lockInstallation makes writers in Postgres run one after the other. SQLite does this by
// itself. The lock also keeps the change log in order: a version never becomes visible
// before a lower version.
const lockInstallation = `SELECT version FROM installation FOR UPDATE`

// Write runs f in one transaction. account.Store describes it.
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

// write runs f in one transaction. Unlike Write, it does not take the lock of lockInstallation.
func (s *Store) write(ctx context.Context, f func(writer) error) error {
	return s.db.Write(ctx, func(t *sql.Tx) error {
		if s.db.Dialect == sqldb.Postgres {
			return f(&scopedTx{plain: plain{t}})
		}
		return f(plain{t})
	})
}

const (
	readPepper = `SELECT pepper_check FROM installation`
	pinPepper  = `UPDATE installation SET pepper_check = $1 WHERE pepper_check IS NULL`
)

// PepperCheck returns the stored check value of the pepper, the secret that protects the
// keys. It returns nil if no value is stored yet.
func (s *Store) PepperCheck(ctx context.Context) ([]byte, error) {
	var check []byte
	err := queryRow(ctx, s.q, scope{}, readPepper, nil, &check)
	return check, err
}

// PinPepper stores check unless a value is already stored. It returns the stored
// value.
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

// rows implements the reads of account.Store. tx adds the writes.
type rows struct{ q reader }

type tx struct {
	rows
	w writer
}

// execute runs a statement and ignores the number of changed rows.
func (t *tx) execute(ctx context.Context, s scope, what, statement string, args ...any) error {
	if _, err := t.w.exec(ctx, s, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
