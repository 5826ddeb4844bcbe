package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// setScopeSQL sets the scope for the rest of the transaction.
const setScopeSQL = `SELECT set_config('signalbox.account', $1, TRUE), set_config('signalbox.cross_account', $2, TRUE)`

// scopedTx is a Postgres transaction. It sends a scope to the server only if the scope
// differs from the previous one.
type scopedTx struct {
	plain
	current scope
}

func (t *scopedTx) query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error {
	if err := t.applyScope(ctx, s); err != nil {
		return err
	}
	return t.plain.query(ctx, s, statement, args, each)
}

func (t *scopedTx) exec(ctx context.Context, s scope, statement string, args ...any) (int64, error) {
	if err := t.applyScope(ctx, s); err != nil {
		return 0, err
	}
	return t.plain.exec(ctx, s, statement, args...)
}

func (t *scopedTx) applyScope(ctx context.Context, s scope) error {
	if t.current == s {
		return nil
	}
	if _, err := t.db.ExecContext(ctx, setScopeSQL, s.account, s.across); err != nil {
		return fmt.Errorf("set account scope: %w", err)
	}
	t.current = s
	return nil
}

// scopedDB reads from Postgres outside of transactions. It sends the scope and the
// statement in one batch, so a read takes a single round trip. The server runs the batch
// as one transaction.
type scopedDB struct{ db *sql.DB }

// maxBrokenConns is how many broken connections a read tries before it fails. After a
// restart of the server, every idle connection is broken.
const maxBrokenConns = 3

func (f scopedDB) query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error {
	var err error
	for range maxBrokenConns {
		var seen bool
		if seen, err = f.queryOnce(ctx, s, statement, args, each); err == nil || seen || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
	return err
}

// queryOnce reports in seen whether it has called the function each. If it has, the query
// must not be retried, because the function would receive the same rows twice.
func (f scopedDB) queryOnce(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) (seen bool, err error) {
	conn, err := f.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(raw any) error {
		std, ok := raw.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", raw)
		}
		err := readInScope(ctx, std.Conn(), s, statement, args, func(row scanner) error {
			seen = true
			return each(row)
		})
		if err != nil && std.Conn().IsClosed() {
			return fmt.Errorf("%w: %w", driver.ErrBadConn, err)
		}
		return err
	})
	return seen, err
}

func readInScope(ctx context.Context, conn *pgx.Conn, s scope, statement string, args []any, each func(scanner) error) (err error) {
	var batch pgx.Batch
	batch.Queue(setScopeSQL, s.account, s.across)
	batch.Queue(statement, args...)
	results := conn.SendBatch(ctx, &batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return err
	}
	found, err := results.Query()
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := each(found); err != nil {
			return err
		}
	}
	return found.Err()
}
