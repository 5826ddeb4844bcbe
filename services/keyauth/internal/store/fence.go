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

// setScope holds until the transaction ends.
const setScope = `SELECT set_config('signalbox.account', $1, TRUE), set_config('signalbox.across', $2, TRUE)`

// fencedTx is a transaction of Postgres. It tells the server the scope when it
// changes, which for most calls is once.
type fencedTx struct {
	plain
	at scope
}

func (t *fencedTx) query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error {
	if err := t.enter(ctx, s); err != nil {
		return err
	}
	return t.plain.query(ctx, s, statement, args, each)
}

func (t *fencedTx) exec(ctx context.Context, s scope, statement string, args ...any) (int64, error) {
	if err := t.enter(ctx, s); err != nil {
		return 0, err
	}
	return t.plain.exec(ctx, s, statement, args...)
}

func (t *fencedTx) enter(ctx context.Context, s scope) error {
	if t.at == s {
		return nil
	}
	if _, err := t.to.ExecContext(ctx, setScope, s.account, s.across); err != nil {
		return fmt.Errorf("name the account: %w", err)
	}
	t.at = s
	return nil
}

// fencedDB reads from Postgres outside of transactions. Scope and statement
// travel together and are one transaction to the server, so that a read takes
// one round trip, as it would without the fence.
type fencedDB struct{ db *sql.DB }

// connections is how many may be found broken before one that works: after a
// restart of the server every idle one is.
const connections = 3

func (f fencedDB) query(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) error {
	var err error
	for range connections {
		var sent bool
		if sent, err = f.try(ctx, s, statement, args, each); err == nil || sent || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
	return err
}

// try reports whether rows were seen: from then on it is not tried again.
func (f fencedDB) try(ctx context.Context, s scope, statement string, args []any, each func(scanner) error) (seen bool, err error) {
	conn, err := f.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(raw any) error {
		std, ok := raw.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver is %T", raw)
		}
		err := read(ctx, std.Conn(), s, statement, args, func(row scanner) error {
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

func read(ctx context.Context, conn *pgx.Conn, s scope, statement string, args []any, each func(scanner) error) (err error) {
	var batch pgx.Batch
	batch.Queue(setScope, s.account, s.across)
	batch.Queue(statement, args...)
	answers := conn.SendBatch(ctx, &batch)
	defer func() {
		if closed := answers.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := answers.Exec(); err != nil {
		return err
	}
	found, err := answers.Query()
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
