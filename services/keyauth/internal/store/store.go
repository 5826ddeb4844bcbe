// Package store keeps accounts, people, sessions and keys in SQLite or
// Postgres. The queries are the same for both; what differs is in the
// migrations and in how writers take turns. It decides nothing: the rules are
// in the domain, which declares the interface implemented here.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
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
	db, err := sqldb.Open(ctx, url, sqldb.Options{Schema: "keyauth", Migrations: files})
	if err != nil {
		return nil, err
	}
	return &Store{rows: rows{db.Read()}, db: db}, nil
}

// Ping reports whether the store answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes the store after running queries have ended.
func (s *Store) Close() error { return s.db.Close() }

// lockInstallation makes the writers of Postgres take turns as those of SQLite
// do. It also keeps the change log in order: no version becomes visible before
// a lower one.
const lockInstallation = `SELECT version FROM installation FOR UPDATE`

// Write runs f in one transaction; see account.Store.
func (s *Store) Write(ctx context.Context, f func(account.Tx) error) error {
	return s.db.Write(ctx, func(t *sql.Tx) error {
		if s.db.Dialect == sqldb.Postgres {
			if _, err := t.ExecContext(ctx, lockInstallation); err != nil {
				return fmt.Errorf("wait for other writers: %w", err)
			}
		}
		return f(&tx{rows{t}})
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
	err := s.q.QueryRowContext(ctx, readPepper).Scan(&check)
	return check, err
}

// PinPepper keeps check for good, unless one is kept already, and returns the
// one that is kept.
func (s *Store) PinPepper(ctx context.Context, check []byte) ([]byte, error) {
	err := s.db.Write(ctx, func(t *sql.Tx) error {
		_, err := t.ExecContext(ctx, pinPepper, check)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.PepperCheck(ctx)
}

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// rows are the reads, and tx the writes beside them.
type rows struct{ q querier }

type tx struct{ rows }

// scanner is one row, or the present one of many.
type scanner interface{ Scan(dest ...any) error }

func none(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return account.ErrNone
	}
	return err
}

// one answers ErrNone if the statement changed nothing.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		return account.ErrNone
	}
	return err
}

// collect reads all rows.
func collect[T any](found *sql.Rows, err error, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var all []T
	for found.Next() {
		v, err := scan(found)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, found.Err()
}
