package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// oldestPartition and newestPartition are how far from today, in days, a
	// record may be to get a partition of its day. What is further away comes
	// from a wrong clock and goes to the default partition.
	oldestPartition = -400
	newestPartition = 2

	// lockPartitions is the advisory lock under which partitions are made.
	lockPartitions = 0x50415254 // "PART"
)

// partitioned are the tables that are kept by day.
var partitioned = []string{"requests", "content"}

// partition makes the daily partitions that the records need and that nobody
// made ahead. SQLite has none.
func (s *Store) partition(ctx context.Context, all []*record.Record) error {
	today := dayOf(s.now())
	need := map[int64]bool{}
	for _, r := range all {
		if day := record.Day(r.ID); day >= today+oldestPartition && day <= today+newestPartition {
			need[day] = true
		}
	}
	for day := range need {
		if err := s.makePartitions(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

// MakePartitions makes those from today on for so many days, so that no insert
// has to wait for it. Several instances may do so at once.
func (s *Store) MakePartitions(ctx context.Context, days int) error {
	today := dayOf(s.now())
	for day := today; day < today+int64(days); day++ {
		if err := s.makePartitions(ctx, day); err != nil {
			return fmt.Errorf("make partitions: %w", err)
		}
	}
	return nil
}

func (s *Store) makePartitions(ctx context.Context, day int64) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	for _, parent := range partitioned {
		if err := s.ensurePartition(ctx, parent, day); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) ensurePartition(ctx context.Context, parent string, day int64) error {
	name := partitionName(parent, day)
	s.mu.Lock()
	known := s.partitions[name]
	s.mu.Unlock()
	if known {
		return nil
	}
	err := s.db.Write(ctx, func(tx *sql.Tx) error { return makePartition(ctx, tx, parent, name, day) })
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23514" {
		// Rows of that day are in the default partition: they stay there.
		err = nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partitions[name] = true
	return nil
}

// makePartition does not wait long for its lock: readers queue behind it.
func makePartition(ctx context.Context, tx *sql.Tx, parent, name string, day int64) error {
	for _, statement := range []string{
		`SET LOCAL lock_timeout = '2s'`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, lockPartitions),
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s PARTITION OF %s FOR VALUES FROM (%d) TO (%d)`, name, parent, day, day+1),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

const daySeconds = 24 * 60 * 60

func dayOf(t time.Time) int64 { return t.Unix() / daySeconds }

// partitionForm is the day in a partition's name.
const partitionForm = "20060102"

func partitionName(parent string, day int64) string {
	return parent + "_" + time.Unix(day*daySeconds, 0).UTC().Format(partitionForm)
}
