package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// upsertProducer stores a producer's latest state, even if the producer's clock
// was set back. The counters sent, lost and refused never decrease: after a
// restart, a proxy may find only a part of its spool and report lower counts.
const upsertProducer = `INSERT INTO producers AS p (producer, host, sent, held, lost, refused, at_us, first_us, seen_us)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
	ON CONFLICT (producer) DO UPDATE SET
		host = excluded.host, held = excluded.held,
		sent = CASE WHEN excluded.sent > p.sent THEN excluded.sent ELSE p.sent END,
		lost = CASE WHEN excluded.lost > p.lost THEN excluded.lost ELSE p.lost END,
		refused = CASE WHEN excluded.refused > p.refused THEN excluded.refused ELSE p.refused END,
		at_us = excluded.at_us, seen_us = excluded.seen_us
	WHERE excluded.at_us <> p.at_us`

// StoreProducerStates stores the states that producers reported. seen is the
// time at which the states were read. States that are already stored are
// ignored.
func (s *Store) StoreProducerStates(ctx context.Context, states []records.ProducerState, seen time.Time) error {
	// A fixed order keeps two dashboards from deadlocking.
	states = slices.SortedFunc(slices.Values(states), func(a, b records.ProducerState) int { return cmp.Compare(a.Producer, b.Producer) })
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		for _, st := range states {
			_, err := tx.ExecContext(ctx, upsertProducer, codec.CleanText(st.Producer), codec.CleanText(st.Host), clampSeq(st.Written), clampSeq(st.FirstUnstored),
				clampSeq(st.Lost), clampSeq(st.Refused), st.At.UnixMicro(), seen.UnixMicro())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store producer states: %w", err)
	}
	return nil
}

// completenessQuery reads the state of every producer. A producer may have
// reported without delivering, or delivered without reporting. Dead letters
// without a sequence number were damaged on the way. They are not counted,
// because the producer sends their records again.
const completenessQuery = `SELECT n.producer, COALESCE(c.highest, 0), COALESCE(c.stored, 0), COALESCE(c.below, 0),
		(SELECT COUNT(*) FROM dead_letters d WHERE d.producer = n.producer AND d.seq > 0),
		COALESCE(p.host, ''), COALESCE(p.sent, 0), COALESCE(p.held, 0), COALESCE(p.lost, 0), COALESCE(p.refused, 0),
		COALESCE(p.first_us, 0), COALESCE(p.seen_us, 0)
	FROM (SELECT producer FROM producers UNION SELECT producer FROM committed UNION SELECT producer FROM dead_letters WHERE seq > 0) n
	LEFT JOIN producers p ON p.producer = n.producer
	LEFT JOIN (SELECT r.producer, MAX(r.last_seq) AS highest, CAST(SUM(r.last_seq - r.first_seq + 1) AS BIGINT) AS stored,
			CAST(SUM(CASE WHEN r.last_seq < q.held THEN r.last_seq - r.first_seq + 1
				WHEN r.first_seq < q.held THEN q.held - r.first_seq ELSE 0 END) AS BIGINT) AS below
		FROM committed r LEFT JOIN producers q ON q.producer = r.producer GROUP BY r.producer) c ON c.producer = n.producer
	ORDER BY n.producer DESC`

// Completeness returns the known state of every producer, newest first.
func (s *Store) Completeness(ctx context.Context) ([]record.Producer, error) {
	all, err := sqldb.QueryAll(ctx, s.db.Read(), completenessQuery, nil, scanProducer)
	if err != nil {
		return nil, unavailableError(err)
	}
	return all, nil
}

func scanProducer(rows *sql.Rows) (record.Producer, error) {
	var p record.Producer
	var first, seen int64
	err := rows.Scan(&p.Name, &p.HighestSeq, &p.Stored, &p.StoredBelow, &p.DeadLetters,
		&p.Host, &p.Sent, &p.FirstHeld, &p.Lost, &p.Refused, &first, &seen)
	if seen > 0 {
		p.FirstSeen, p.LastSeen = time.UnixMicro(first).UTC(), time.UnixMicro(seen).UTC()
	}
	return p, err
}

const storedRangesQuery = `SELECT first_seq, last_seq FROM committed WHERE producer = $1 ORDER BY first_seq LIMIT $2`

// FindGaps returns the sequence numbers of a producer from 1 to last that are not
// stored, as at most limit ranges.
func (s *Store) FindGaps(ctx context.Context, producer string, last int64, limit int) ([]records.Range, error) {
	// To find n gaps, the first n+1 stored ranges are enough; n is limit.
	stored, err := sqldb.QueryAll(ctx, s.db.Read(), storedRangesQuery, []any{producer, limit + 1}, func(rows *sql.Rows) (r records.Range, err error) {
		err = rows.Scan(&r.First, &r.Last)
		return r, err
	})
	if err != nil {
		return nil, unavailableError(err)
	}
	return record.FindGaps(stored, uint64(max(0, last)), limit), nil
}
