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

// setScopeSQL sets the scope until the transaction ends.
const setScopeSQL = `SELECT set_config('signalbox.account', $1, TRUE), set_config('signalbox.cross_account', $2, TRUE)`

// scopedTx is a Postgres transaction. It sends the scope to the server only when
// it changes, which is once for most calls.
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

// scopedDB reads from Postgres outside of transactions. It sends scope and
// statement in one batch, which the server runs as one transaction, so a read
// takes a single round trip.
type scopedDB struct{ db *sql.DB }

// maxBrokenConns is how many broken connections a read may find before it fails.
// After a restart of the server every idle connection is broken.
const maxBrokenConns = 3

func (f scopedDB) query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error {
	var err error
	for range maxBrokenConns {
		var sent bool
		if sent, err = f.queryOnce(ctx, s, statement, args, each); err == nil || sent || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
	return err
}

// queryOnce reports whether it has seen rows. If it has, the query is not retried.
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
