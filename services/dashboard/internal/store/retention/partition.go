package retention

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
	// Records whose day is between oldestPartitionDay and newestPartitionDay get a
	// daily partition. Both constants are in days relative to today. Other records go
	// to the default partition. Their dates come from a wrong clock.
	oldestPartitionDay = -400
	newestPartitionDay = 2

	// partitionLockID is the advisory lock for creating partitions. Only one instance
	// creates partitions at a time.
	partitionLockID = 0x50415254 // "PART"
)

var partitionedTables = []string{"requests", "content"}

// CreatePartitionsFor creates the daily partitions that the records need
// and that CreatePartitions has not created in advance. SQLite has no
// partitions.
func (s *Days) CreatePartitionsFor(ctx context.Context, all []*record.Record) error {
	today := dayOf(s.now())
	need := map[int64]bool{}
	for _, r := range all {
		if day := record.DayOfID(r.ID); day >= today+oldestPartitionDay && day <= today+newestPartitionDay {
			need[day] = true
		}
	}
	for day := range need {
		if err := s.createDayPartitions(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

// CreatePartitions creates the partitions of the given number of days, beginning
// today, so that inserts need not create them. Several instances may call it at
// once.
func (s *Days) CreatePartitions(ctx context.Context, days int) error {
	today := dayOf(s.now())
	for day := today; day < today+int64(days); day++ {
		if err := s.createDayPartitions(ctx, day); err != nil {
			return fmt.Errorf("create partitions: %w", err)
		}
	}
	return nil
}

func (s *Days) createDayPartitions(ctx context.Context, day int64) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	for _, parent := range partitionedTables {
		if err := s.ensurePartition(ctx, parent, day); err != nil {
			return err
		}
	}
	return nil
}

func (s *Days) ensurePartition(ctx context.Context, parent string, day int64) error {
	name := partitionName(parent, day)
	s.mu.Lock()
	known := s.partitions[name]
	s.mu.Unlock()
	if known {
		return nil
	}
	err := s.db.Write(ctx, func(tx *sql.Tx) error { return createPartition(ctx, tx, parent, name, day) })
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23514" {
		// The default partition already has rows of that day. All rows of that day
		// then go to the default partition.
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

// createPartition uses a short lock timeout, because reads and inserts queue up
// behind the waiting transaction.
func createPartition(ctx context.Context, tx *sql.Tx, parent, name string, day int64) error {
	for _, statement := range []string{
		`SET LOCAL lock_timeout = '2s'`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, partitionLockID),
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

const partitionDayFormat = "20060102"

func partitionName(parent string, day int64) string {
	return parent + "_" + time.Unix(day*daySeconds, 0).UTC().Format(partitionDayFormat)
}
