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

// partition makes the daily partitions that the records need, and tomorrow's,
// so that midnight finds it there. SQLite has none.
func (s *Store) partition(ctx context.Context, all []*record.Record) error {
	if s.db.Dialect != sqldb.Postgres || len(all) == 0 {
		return nil
	}
	today := time.Now().Unix() / (24 * 60 * 60)
	need := map[int64]bool{today + 1: true}
	for _, r := range all {
		if day := record.Day(r.ID); day >= today+oldestPartition && day <= today+newestPartition {
			need[day] = true
		}
	}
	for day := range need {
		if err := s.ensurePartition(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) ensurePartition(ctx context.Context, day int64) error {
	s.mu.Lock()
	known := s.partitions[day]
	s.mu.Unlock()
	if known {
		return nil
	}
	name := "requests_" + time.Unix(day*24*60*60, 0).UTC().Format("20060102")
	err := s.db.Write(ctx, func(tx *sql.Tx) error { return makePartition(ctx, tx, name, day) })
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
	s.partitions[day] = true
	return nil
}

// makePartition does not wait long for its lock: readers queue behind it.
func makePartition(ctx context.Context, tx *sql.Tx, name string, day int64) error {
	for _, statement := range []string{
		`SET LOCAL lock_timeout = '2s'`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, lockPartitions),
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s PARTITION OF requests FOR VALUES FROM (%d) TO (%d)`, name, day, day+1),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
