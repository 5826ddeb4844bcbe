package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// deleteAtOnce is how many rows go in one transaction, so that whoever stores
// waits for a moment only.
const deleteAtOnce = 1000

// errBusy is why something stays for now: another instance is at it, or others
// hold the table.
var errBusy = errors.New("the ledger is busy")

// DropRequests removes the requests, their content and their sums of all days
// before the one of before, and dead letters as old. Today stays in any case.
// What could not be removed now is removed the next time.
func (s *Store) DropRequests(ctx context.Context, before time.Time) error {
	day := min(dayOf(before), dayOf(s.now()))
	for _, parent := range []string{"content", "requests"} {
		if err := s.dropDays(ctx, parent, day); err != nil {
			return fmt.Errorf("drop %s: %w", parent, err)
		}
	}
	if err := s.dropSums(ctx, day); err != nil {
		return fmt.Errorf("drop sums: %w", err)
	}
	_, err := s.remove(ctx, `DELETE FROM dead_letters WHERE received_us < $1`, day*daySeconds*1_000_000)
	return err
}

// DropContent removes the content of all days before the one of before.
func (s *Store) DropContent(ctx context.Context, before time.Time) error {
	return s.dropDays(ctx, "content", min(dayOf(before), dayOf(s.now())))
}

// dropDays drops partitions, and deletes where there are none. The day is a
// part of the id, so an id tells how far to go.
func (s *Store) dropDays(ctx context.Context, parent string, before int64) error {
	if err := s.dropPartitions(ctx, parent, before); err != nil {
		return err
	}
	if s.db.Dialect == sqldb.Postgres {
		parent += "_default"
	}
	return s.removeAll(ctx, fmt.Sprintf(`DELETE FROM %[1]s WHERE id IN (
		SELECT id FROM %[1]s WHERE id < $1 ORDER BY id LIMIT %[2]d)`, parent, deleteAtOnce), firstID(before))
}

// firstID is below every id of the day and above every one of the days before.
func firstID(day int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(day, 0)*daySeconds*1000)<<16)
}

const partitionsOf = `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
	WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`

func (s *Store) dropPartitions(ctx context.Context, parent string, before int64) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	names, err := s.texts(ctx, partitionsOf, parent)
	if err != nil {
		return err
	}
	for _, name := range names {
		day, err := time.Parse(partitionForm, strings.TrimPrefix(name, parent+"_"))
		if err != nil || dayOf(day) >= before {
			continue
		}
		if _, err := s.remove(ctx, `DROP TABLE IF EXISTS `+name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// lockRetention is the advisory lock of whoever removes: one at a time.
	lockRetention = 0x52455441 // "RETA"
	lockWait      = `SET LOCAL lock_timeout = '1s'`
	tryRetention  = `SELECT pg_try_advisory_xact_lock($1)`
)

// remove runs a statement that removes rows.
func (s *Store) remove(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = s.removing(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// removing runs a transaction that does not wait long for a lock: whoever
// stores queues behind it.
func (s *Store) removing(ctx context.Context, f func(tx *sql.Tx) error) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.alone(ctx, tx); err != nil {
			return err
		}
		return f(tx)
	})
	const lockTimeout = "55P03"
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == lockTimeout {
		err = errors.Join(errBusy, err)
	}
	return err
}

func (s *Store) alone(ctx context.Context, tx *sql.Tx) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	if _, err := tx.ExecContext(ctx, lockWait); err != nil {
		return err
	}
	var mine bool
	if err := tx.QueryRowContext(ctx, tryRetention, lockRetention).Scan(&mine); err != nil {
		return err
	}
	if !mine {
		return errBusy
	}
	return nil
}

// removeAll repeats a statement that removes a part until nothing is left.
func (s *Store) removeAll(ctx context.Context, statement string, args ...any) error {
	for {
		n, err := s.remove(ctx, statement, args...)
		if err != nil || n == 0 {
			return err
		}
	}
}
