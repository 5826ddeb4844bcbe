package store

import (
	"context"
	"database/sql"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// scope is what a statement may see. Postgres enforces it with row security;
// see the migrations. SQLite serves one installation in one file and has the
// account in every query alone.
type scope struct {
	account string
	across  string
}

// within is for what belongs to one account.
func within(accountID string) scope { return scope{account: accountID} }

// The ways across accounts, by what for: nobody can name the account before
// the row is found.
var (
	acrossVerify   = scope{across: "verify"}   // a key by its MAC
	acrossSession  = scope{across: "session"}  // a session by its hash, and stale ones
	acrossEmail    = scope{across: "email"}    // a user by e-mail
	acrossToken    = scope{across: "token"}    // an invite or a reset by its hash
	acrossOperator = scope{across: "operator"} // the operator's account, and the list of all
	acrossUse      = scope{across: "use"}      // last uses of many keys
	acrossWatch    = scope{across: "watch"}    // the change log
	acrossSpend    = scope{across: "spend"}    // what many keys and accounts have spent
	acrossNotice   = scope{across: "notice"}   // notices that are due
)

// scanner is one row, or the present one of many.
type scanner interface{ Scan(dest ...any) error }

// reader is a database or a transaction, of one dialect.
type reader interface {
	// query calls each for every row.
	query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error
}

// writer is a transaction.
type writer interface {
	reader
	// exec returns how many rows were changed.
	exec(ctx context.Context, s scope, statement string, args ...any) (int64, error)
}

// first scans the only row into dest, or answers ErrNone.
func first(ctx context.Context, q reader, s scope, statement string, args []any, dest ...any) error {
	err := account.ErrNone
	failed := q.query(ctx, s, statement, args, func(row scanner) error {
		err = row.Scan(dest...)
		return err
	})
	if failed != nil {
		return failed
	}
	return err
}

// collect reads all rows; those of an empty answer are nil.
func collect[T any](ctx context.Context, q reader, s scope, statement string, args []any, fields func(*T) []any) ([]T, error) {
	var all []T
	err := q.query(ctx, s, statement, args, func(row scanner) error {
		var v T
		if err := row.Scan(fields(&v)...); err != nil {
			return err
		}
		all = append(all, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// one answers ErrNone if the statement changed nothing.
func one(n int64, err error) error {
	if err == nil && n == 0 {
		return account.ErrNone
	}
	return err
}

// executor is what a database and a transaction of database/sql share.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// plain runs statements as they are.
type plain struct{ to executor }

func (p plain) query(ctx context.Context, _ scope, statement string, args []any, each func(scanner) error) error {
	found, err := p.to.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		if err := each(found); err != nil {
			return err
		}
	}
	return found.Err()
}

func (p plain) exec(ctx context.Context, _ scope, statement string, args ...any) (int64, error) {
	result, err := p.to.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
