package store

import (
	"context"
	"database/sql"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// scope defines which rows a statement may access. Postgres enforces the scope with row
// security, which the migrations define. SQLite does not enforce it: there, only the
// WHERE clause of each query selects the account.
type scope struct {
	account string
	across  string
}

// inAccount is the scope of statements about one account.
func inAccount(accountID string) scope { return scope{account: accountID} }

// These scopes allow access to rows of all accounts, each for one purpose. A caller needs
// them if it does not know the account yet, or works on many accounts.
var (
	acrossVerify   = scope{across: "verify"}   // find a key by its MAC
	acrossSession  = scope{across: "session"}  // find a session or an API token by its hash, delete stale sessions
	acrossEmail    = scope{across: "email"}    // find a user by e-mail or by external identity
	acrossToken    = scope{across: "token"}    // find an invite or a reset by its hash
	acrossOperator = scope{across: "operator"} // find the operator's account, list all accounts
	acrossUse      = scope{across: "use"}      // store last uses of many keys
	acrossWatch    = scope{across: "watch"}    // read and prune the change log
	acrossSpend    = scope{across: "spend"}    // read and store the spend of many keys and accounts
	acrossNotice   = scope{across: "notice"}   // find and take notices that are due
)

// scanner is the current row of a result.
type scanner interface{ Scan(dest ...any) error }

// reader is a database or a transaction.
type reader interface {
	// query calls the function each once per row.
	query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error
}

// writer is a transaction.
type writer interface {
	reader
	// exec returns the number of changed rows.
	exec(ctx context.Context, s scope, statement string, args ...any) (int64, error)
}

// queryRow scans the row into dest. It returns ErrNoRow if there is no row.
func queryRow(ctx context.Context, q reader, s scope, statement string, args []any, dest ...any) error {
	err := access.ErrNoRow
	failed := q.query(ctx, s, statement, args, func(row scanner) error {
		err = row.Scan(dest...)
		return err
	})
	if failed != nil {
		return failed
	}
	return err
}

// queryAll reads all rows. It returns nil if there are none.
func queryAll[T any](ctx context.Context, q reader, s scope, statement string, args []any, fields func(*T) []any) ([]T, error) {
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

// requireChange returns ErrNoRow if a statement changed nothing.
func requireChange(n int64, err error) error {
	if err == nil && n == 0 {
		return access.ErrNoRow
	}
	return err
}

// executor is implemented by sql.DB and sql.Tx.
type executor interface {
	sqldb.Querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// plain runs statements without enforcing their scope.
type plain struct{ db executor }

func (p plain) query(ctx context.Context, _ scope, statement string, args []any, each func(scanner) error) error {
	return sqldb.EachRow(ctx, p.db, statement, args, func(row *sql.Rows) error { return each(row) })
}

func (p plain) exec(ctx context.Context, _ scope, statement string, args ...any) (int64, error) {
	result, err := p.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
