// Package retention manages the ledger's tables by day. It creates the daily
// partitions of Postgres and the indexes of past days, and deletes the requests,
// their content and their sums of old days, of all accounts or of one. A deletion
// never touches today, runs in short transactions so that inserts do not wait, and
// returns ErrBusy if another instance is deleting. Package store embeds Days, and
// package upkeep calls it.
package retention

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// deleteChunkRows is the number of rows per delete transaction. With large
// transactions, inserts would wait long.
const deleteChunkRows = 1000

// Days manages the data of a ledger by day. It is safe for concurrent use.
type Days struct {
	db  *sqldb.DB
	now func() time.Time
	// maxUnindexed is defaultMaxUnindexed, except in tests.
	maxUnindexed int64

	mu sync.Mutex
	// partitions holds the names of the partitions that need not be created: they
	// exist, or the default partition already has their rows.
	partitions map[string]bool
}

// New returns the days of a ledger. now is the clock that says what today is.
func New(db *sqldb.DB, now func() time.Time) *Days {
	return &Days{db: db, now: now, maxUnindexed: defaultMaxUnindexed, partitions: map[string]bool{}}
}

// cutoffDay returns the day of before, but at most today.
func (s *Days) cutoffDay(before time.Time) int64 { return min(dayOf(before), dayOf(s.now())) }

// SetMaxUnindexed sets the size in bytes from which on today has the indexes of the sort orders. Only tests
// call it.
func (s *Days) SetMaxUnindexed(bytes int64) { s.maxUnindexed = bytes }

// Cutoff returns the start of the day of before, but at most the start of today.
func (s *Days) Cutoff(before time.Time) time.Time {
	return time.Unix(s.cutoffDay(before)*daySeconds, 0)
}

// ErrBusy means that a deletion must be retried later: another instance is
// deleting, or other transactions hold the table.
var ErrBusy = errors.New("the ledger is busy")

// DropRequests deletes the requests, their content, their aggregates, the sessions that
// ended, the evidence and the dead letters of all days before the day of `before`. It never deletes
// data of today. If it fails, the caller must call it again later.
func (s *Days) DropRequests(ctx context.Context, before time.Time) error {
	day := s.cutoffDay(before)
	for _, parent := range []string{"content", "requests"} {
		if err := s.dropDaysBefore(ctx, parent, day); err != nil {
			return fmt.Errorf("drop %s: %w", parent, err)
		}
	}
	if err := s.deleteAggregates(ctx, day); err != nil {
		return fmt.Errorf("drop aggregates: %w", err)
	}
	if err := s.deleteSessions(ctx, day); err != nil {
		return fmt.Errorf("drop sessions: %w", err)
	}
	if err := s.deleteEvidence(ctx, day); err != nil {
		return fmt.Errorf("drop evidence: %w", err)
	}
	_, err := s.ExecLocked(ctx, `DELETE FROM dead_letters WHERE received_us < $1`, day*daySeconds*1_000_000)
	return err
}

// DropContent deletes the content of all days before the day of `before`. It
// never deletes content of today.
func (s *Days) DropContent(ctx context.Context, before time.Time) error {
	return s.dropDaysBefore(ctx, "content", s.cutoffDay(before))
}

// dropDaysBefore drops the daily partitions before a day. Then it deletes the
// older rows of the default partition or, on SQLite, of the table. It selects the
// rows by id, because ids are ordered by time.
func (s *Days) dropDaysBefore(ctx context.Context, parent string, before int64) error {
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

func (s *Days) dropPartitions(ctx context.Context, parent string, before int64) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	names, err := sqldb.QueryAll(ctx, s.db.Read(), listPartitions, []any{parent}, sqldb.ScanColumn[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		day, err := time.Parse(partitionDayFormat, strings.TrimPrefix(name, parent+"_"))
		if err != nil || dayOf(day) >= before {
			continue
		}
		if _, err := s.ExecLocked(ctx, `DROP TABLE IF EXISTS `+name); err != nil {
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

// ExecLocked runs a statement with the retention lock and returns the number of
// affected rows.
func (s *Days) ExecLocked(ctx context.Context, statement string, args ...any) (n int64, err error) {
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
func (s *Days) withRetentionLock(ctx context.Context, f func(tx *sql.Tx) error) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.takeRetentionLock(ctx, tx); err != nil {
			return err
		}
		return f(tx)
	})
	const lockTimeout = "55P03"
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == lockTimeout {
		err = errors.Join(ErrBusy, err)
	}
	return err
}

func (s *Days) takeRetentionLock(ctx context.Context, tx *sql.Tx) error {
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
		return ErrBusy
	}
	return nil
}

// deleteInChunks repeats a statement until no row is left to delete.
func (s *Days) deleteInChunks(ctx context.Context, statement string, args ...any) error {
	for {
		n, err := s.ExecLocked(ctx, statement, args...)
		if err != nil || n == 0 {
			return err
		}
	}
}
