package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxTail is how many records are looked at in one go, maxCommits how many
	// transactions.
	maxTail    = 500
	maxCommits = 100

	head = `SELECT position FROM feed_clock`
	// One statement, so that the clock and the feed are of the same moment.
	followed = `SELECT c.position, c.trimmed, f.position, f.ids FROM feed_clock c LEFT JOIN
		(SELECT position, ids FROM feed WHERE account_id = $1 AND position >= $2 ORDER BY position LIMIT $3) f
		ON f.position IS NOT NULL ORDER BY f.position`
)

// Head is the newest position. Whoever reads it before a page and follows from
// there misses nothing that is not on the page.
func (s *Store) Head(ctx context.Context) (record.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	var newest int64
	err := s.db.Read().QueryRowContext(ctx, head).Scan(&newest)
	return record.Position{Commit: newest + 1}, unread(err)
}

// feed is what is remembered of what became visible to an account.
type feed struct {
	newest, trimmed int64
	commits         int
	ids             []uuid.UUID
	after           []record.Position // right after each id
	more            bool              // there is more than was read
}

// Tail returns what has become visible to the account after a position and
// matches the query, oldest first, each record once. It looks at no more than
// limit records, and at most 500.
func (s *Store) Tail(ctx context.Context, q record.Query, after record.Position, limit int) (record.Tail, error) {
	var f feed
	err := s.each(ctx, followed, []any{q.Account, after.Commit, maxCommits}, func(rows *sql.Rows) error {
		return f.scan(rows, after, min(limit, maxTail))
	})
	if err != nil {
		return record.Tail{}, err
	}
	t := record.Tail{Next: record.Position{Commit: f.newest + 1}}
	// A position from the future is of a store that a backup has replaced.
	if after.Commit <= f.trimmed || after.Commit > f.newest+1 {
		t.Gap = true
		return t, nil
	}
	if f.more || f.commits == maxCommits {
		t.Next, t.More = f.after[len(f.after)-1], true
	}
	t.Items, err = s.tailed(ctx, q, f)
	return t, err
}

func (f *feed) scan(rows *sql.Rows, after record.Position, most int) error {
	var position sql.NullInt64
	var ids []byte
	if err := rows.Scan(&f.newest, &f.trimmed, &position, &ids); err != nil || !position.Valid {
		return err
	}
	f.commits++
	for row := int64(0); len(ids) >= 16; row, ids = row+1, ids[16:] {
		at := record.Position{Commit: position.Int64, Row: row + 1}
		if at.Commit == after.Commit && at.Row <= after.Row {
			continue
		}
		if len(f.ids) == most {
			f.more = true
			return nil
		}
		f.ids, f.after = append(f.ids, uuid.UUID(ids[:16])), append(f.after, at)
	}
	return nil
}

// tailed reads the records of a feed. Those that were removed since, or do not
// match, are passed over.
func (s *Store) tailed(ctx context.Context, q record.Query, f feed) ([]record.Tailed, error) {
	if len(f.ids) == 0 {
		return nil, nil
	}
	w := s.of(q).within("time_us", spanOf(q))
	days := map[int64]bool{}
	ids := make([][]byte, len(f.ids))
	for i := range f.ids {
		ids[i], days[record.Day(f.ids[i])] = f.ids[i][:], true
	}
	w.text.WriteString(" AND ")
	w.anyOf("id", ids)
	w.text.WriteString(" AND ")
	w.in("day", values(slices.Sorted(maps.Keys(days))))
	byID := make(map[uuid.UUID]*record.Record, len(f.ids))
	err := s.each(ctx, `SELECT record FROM requests WHERE `+w.text.String(), w.args, func(rows *sql.Rows) error {
		r, err := scanRecord(rows)
		if err == nil {
			byID[r.ID] = r
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var items []record.Tailed
	for i, id := range f.ids {
		if r, ok := byID[id]; ok {
			items = append(items, record.Tailed{Position: f.after[i], Record: *r})
		}
	}
	return items, nil
}
