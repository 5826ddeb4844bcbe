package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// report keeps the last word of a producer, whose clock may have been set back.
// What was sent, lost or refused once stays so, even if a later one, who found
// only a part of the spool, knows of less.
const report = `INSERT INTO producers AS p (producer, host, sent, held, lost, refused, at_us, first_us, seen_us)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
	ON CONFLICT (producer) DO UPDATE SET
		host = excluded.host, held = excluded.held,
		sent = CASE WHEN excluded.sent > p.sent THEN excluded.sent ELSE p.sent END,
		lost = CASE WHEN excluded.lost > p.lost THEN excluded.lost ELSE p.lost END,
		refused = CASE WHEN excluded.refused > p.refused THEN excluded.refused ELSE p.refused END,
		at_us = excluded.at_us, seen_us = excluded.seen_us
	WHERE excluded.at_us <> p.at_us`

// Report keeps what producers said of themselves, heard at the time seen. What
// is not news is passed over.
func (s *Store) Report(ctx context.Context, states []records.State, seen time.Time) error {
	// In one order, so that two dashboards do not wait for each other.
	states = slices.SortedFunc(slices.Values(states), func(a, b records.State) int { return cmp.Compare(a.Producer, b.Producer) })
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		for _, st := range states {
			_, err := tx.ExecContext(ctx, report, codec.Clean(st.Producer), codec.Clean(st.Host), seq(st.Written), seq(st.Held),
				seq(st.Lost), seq(st.Refused), st.At.UnixMicro(), seen.UnixMicro())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep producers: %w", err)
	}
	return nil
}

// A producer may have said nothing, or nothing of it may have arrived. What was
// damaged on its way has no number and is none of the records: it comes again.
const completeness = `SELECT n.producer, COALESCE(c.highest, 0), COALESCE(c.stored, 0), COALESCE(c.below, 0),
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

// Completeness tells what is known of every producer, newest first.
func (s *Store) Completeness(ctx context.Context) ([]record.Producer, error) {
	rows, err := s.db.Read().QueryContext(ctx, completeness)
	if err != nil {
		return nil, unavailable(err)
	}
	defer func() { _ = rows.Close() }()
	var all []record.Producer
	for rows.Next() {
		var p record.Producer
		var first, seen int64
		if err := rows.Scan(&p.Name, &p.Highest, &p.Stored, &p.StoredBelow, &p.DeadLetters,
			&p.Host, &p.Sent, &p.Held, &p.Lost, &p.Refused, &first, &seen); err != nil {
			return nil, unavailable(err)
		}
		if seen > 0 {
			p.FirstSeen, p.LastSeen = time.UnixMicro(first).UTC(), time.UnixMicro(seen).UTC()
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil {
		return nil, unavailable(err)
	}
	return all, nil
}

const storedRanges = `SELECT first_seq, last_seq FROM committed WHERE producer = $1 ORDER BY first_seq LIMIT $2`

// Gaps returns the first holes in what is stored of a producer's numbers up to
// last, at most so many.
func (s *Store) Gaps(ctx context.Context, producer string, last int64, most int) ([]records.Range, error) {
	// Between n ranges, before and after them, there are at most n+1 holes.
	rows, err := s.db.Read().QueryContext(ctx, storedRanges, producer, most+1)
	if err != nil {
		return nil, unavailable(err)
	}
	defer func() { _ = rows.Close() }()
	var stored []records.Range
	for rows.Next() {
		var r records.Range
		if err := rows.Scan(&r.First, &r.Last); err != nil {
			return nil, unavailable(err)
		}
		stored = append(stored, r)
	}
	if err := rows.Err(); err != nil {
		return nil, unavailable(err)
	}
	return record.Gaps(stored, uint64(max(0, last)), most), nil
}
