package retention

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// sortIndexes are the indexes of the orders in which users sort requests, by the end of their names. A
// request without the number is not in the index. The partitions of past days and large ones have them: they
// would take a third of the time of every insert, but are created within seconds when a day is over. The
// requests of a smaller partition of today are sorted without an index.
var sortIndexes = []struct{ name, definition string }{
	{"by_cost", `(account_id, cost_nano_usd, time_us) WHERE cost_nano_usd IS NOT NULL`},
	{"by_saved", `(account_id, (CAST(baseline_nano_usd AS NUMERIC) - cost_nano_usd), time_us) WHERE cost_nano_usd IS NOT NULL AND baseline_nano_usd IS NOT NULL`},
	{"by_latency", `(account_id, latency_us, time_us)`},
	{"by_ttft", `(account_id, ttft_us, time_us) WHERE ttft_us > 0`},
	{"by_tokens", `(account_id, (CAST(input_tokens AS NUMERIC) + cache_read_tokens + cache_write_tokens + output_tokens), time_us)`},
}

const (
	// indexDelay is how long after the end of a day its indexes are created. Inserts wait while an index is
	// created, and late records have mostly arrived by then.
	indexDelay = 10 * time.Minute
	// defaultMaxUnindexed is the size of a partition in bytes from which on today has the indexes too. It is
	// about 350,000 requests, which are sorted in a fifth of a second.
	defaultMaxUnindexed = 256 << 20
	// setIndexLockTimeout is longer than the second after which Postgres cancels an autovacuum that holds the
	// lock.
	setIndexLockTimeout = `SET LOCAL lock_timeout = '2s'; `
)

// IndexDays creates the missing indexes of the sort orders of past days and of large partitions, newest day
// first. The error contains ErrBusy if another instance creates or deletes, or other transactions hold a
// table. If it fails for a day, it goes on with the others, and the caller must call it again later. SQLite
// has these indexes for all requests.
func (s *Days) IndexDays(ctx context.Context) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	partitions, err := sqldb.QueryAll(ctx, s.db.Read(), listUnindexed, []any{len(sortIndexes)}, scanPartition)
	if err != nil {
		return fmt.Errorf("index days: %w", err)
	}
	var errs []error
	for _, p := range partitions {
		if s.needsIndexes(p) && ctx.Err() == nil {
			errs = append(errs, s.indexPartition(ctx, p.name))
		}
	}
	return errors.Join(errs...)
}

// partition is a partition of requests that misses indexes of sort orders.
type partition struct {
	name  string
	bytes int64
}

// listUnindexed lists the partitions with fewer than $1 indexes of sort orders.
const listUnindexed = `SELECT c.relname, pg_relation_size(c.oid) FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
	WHERE h.inhparent = to_regclass('requests') AND $1 > (SELECT COUNT(*) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
		WHERE i.indrelid = c.oid AND starts_with(x.relname, c.relname || '_by_')) ORDER BY c.relname DESC`

func scanPartition(row *sql.Rows) (p partition, err error) {
	return p, row.Scan(&p.name, &p.bytes)
}

func (s *Days) needsIndexes(p partition) bool {
	day, err := time.Parse(partitionDayFormat, strings.TrimPrefix(p.name, "requests_"))
	return err == nil && (p.bytes > s.maxUnindexed || dayOf(day) < dayOf(s.now().Add(-indexDelay)))
}

// indexPartition creates the missing indexes of a partition, each in its own transaction, so that inserts
// wait for one index at most. The last transaction also collects statistics of the indexed expressions, which
// the planner needs.
func (s *Days) indexPartition(ctx context.Context, name string) error {
	for i, index := range sortIndexes {
		statement := setIndexLockTimeout + `CREATE INDEX IF NOT EXISTS ` + name + `_` + index.name + ` ON ` + name + ` ` + index.definition
		if i == len(sortIndexes)-1 {
			statement += `; ANALYZE ` + name
		}
		if _, err := s.ExecLocked(ctx, statement); err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return nil
}
