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

// deleteChunkRows is the number of rows per delete transaction. With large
// transactions, inserts would wait long.
const deleteChunkRows = 1000

// errBusy means that a deletion must be retried later: another instance is
// deleting, or other transactions hold the table.
var errBusy = errors.New("the ledger is busy")

// DropRequests deletes the requests, their content, their aggregates and the
// dead letters of all days before the day of `before`. It never deletes data of
// today. If it fails, the caller must call it again later.
func (s *Store) DropRequests(ctx context.Context, before time.Time) error {
	day := min(dayOf(before), dayOf(s.now()))
	for _, parent := range []string{"content", "requests"} {
		if err := s.dropDaysBefore(ctx, parent, day); err != nil {
			return fmt.Errorf("drop %s: %w", parent, err)
		}
	}
	if err := s.deleteAggregates(ctx, day); err != nil {
		return fmt.Errorf("drop aggregates: %w", err)
	}
	_, err := s.execWithRetentionLock(ctx, `DELETE FROM dead_letters WHERE received_us < $1`, day*daySeconds*1_000_000)
	return err
}

// DropContent deletes the content of all days before the day of `before`. It
// never deletes content of today.
func (s *Store) DropContent(ctx context.Context, before time.Time) error {
	return s.dropDaysBefore(ctx, "content", min(dayOf(before), dayOf(s.now())))
}

// dropDaysBefore drops the daily partitions before a day. Then it deletes the
// older rows of the default partition or, on SQLite, of the table. It selects the
// rows by id, because ids are ordered by time.
func (s *Store) dropDaysBefore(ctx context.Context, parent string, before int64) error {
	if err := s.dropPartitions(ctx, parent, before); err != nil {
		return err
	}
	if s.db.Dialect == sqldb.Postgres {
		parent += "_default"
	}
	return s.deleteInChunks(ctx, fmt.Sprintf(`DELETE FROM %[1]s WHERE id IN (
		SELECT id FROM %[1]s WHERE id < $1 ORDER BY id LIMIT %[2]d)`, parent, deleteChunkRows), firstIDOfDay(before))
}

// firstIDOfDay returns the start of an id. It is below all ids of the day and above
// all ids of earlier days.
func firstIDOfDay(day int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(day, 0)*daySeconds*1000)<<16)
}

const listPartitions = `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
	WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`

func (s *Store) dropPartitions(ctx context.Context, parent string, before int64) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	names, err := s.queryStrings(ctx, listPartitions, parent)
	if err != nil {
		return err
	}
	for _, name := range names {
		day, err := time.Parse(partitionDayFormat, strings.TrimPrefix(name, parent+"_"))
		if err != nil || dayOf(day) >= before {
			continue
		}
		if _, err := s.execWithRetentionLock(ctx, `DROP TABLE IF EXISTS `+name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// retentionLockID is the advisory lock of deletions, so that only one instance
	// deletes at a time.
	retentionLockID = 0x52455441 // "RETA"
	setLockTimeout  = `SET LOCAL lock_timeout = '1s'`
	tryAdvisoryLock = `SELECT pg_try_advisory_xact_lock($1)`
)

func (s *Store) execWithRetentionLock(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = s.withRetentionLock(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// withRetentionLock runs a transaction that holds the retention lock. The
// transaction waits at most a second for a table, because inserts queue up behind
// it meanwhile.
func (s *Store) withRetentionLock(ctx context.Context, f func(tx *sql.Tx) error) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.takeRetentionLock(ctx, tx); err != nil {
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

func (s *Store) takeRetentionLock(ctx context.Context, tx *sql.Tx) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	if _, err := tx.ExecContext(ctx, setLockTimeout); err != nil {
		return err
	}
	var locked bool
	if err := tx.QueryRowContext(ctx, tryAdvisoryLock, retentionLockID).Scan(&locked); err != nil {
		return err
	}
	if !locked {
		return errBusy
	}
	return nil
}

// deleteInChunks repeats a statement until no row is left to delete.
func (s *Store) deleteInChunks(ctx context.Context, statement string, args ...any) error {
	for {
		n, err := s.execWithRetentionLock(ctx, statement, args...)
		if err != nil || n == 0 {
			return err
		}
	}
}
