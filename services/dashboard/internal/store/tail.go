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
	// maxTailRecords and maxTailCommits limit how many records and commits one
	// call reads.
	maxTailRecords = 500
	maxTailCommits = 100

	headQuery = `SELECT position FROM feed_clock`
	// tailQuery is one statement, so that the clock and the feed come from the
	// same snapshot.
	tailQuery = `SELECT c.position, c.trimmed, f.position, f.ids FROM feed_clock c LEFT JOIN
		(SELECT position, ids FROM feed WHERE account_id = $1 AND position >= $2 ORDER BY position LIMIT $3) f
		ON f.position IS NOT NULL ORDER BY f.position`
)

// Head returns the position after the newest commit. A reader misses no record if it
// calls Head, then loads a page, and then calls Tail with the position from Head.
func (s *Store) Head(ctx context.Context) (record.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	var newest int64
	err := s.db.Read().QueryRowContext(ctx, headQuery).Scan(&newest)
	return record.Position{Commit: newest + 1}, toReadError(err)
}

// feedPage is a part of an account's feed.
type feedPage struct {
	newest, trimmed int64
	commits         int
	ids             []uuid.UUID
	after           []record.Position // the position right after each id
	more            bool              // the feed has more ids than were read
}

// Tail returns the records of the account that were committed after a position
// and match the query, oldest first. It returns each record once. One call inspects
// at most limit records, and at most maxTailRecords.
func (s *Store) Tail(ctx context.Context, q record.Query, after record.Position, limit int) (record.Tail, error) {
	var f feedPage
	err := s.readRows(ctx, tailQuery, []any{q.Account, after.Commit, maxTailCommits}, func(rows *sql.Rows) error {
		return f.scanRow(rows, after, min(limit, maxTailRecords))
	})
	if err != nil {
		return record.Tail{}, err
	}
	t := record.Tail{Next: record.Position{Commit: f.newest + 1}}
	// A position in the future means that the store was replaced by an older
	// backup.
	if after.Commit <= f.trimmed || after.Commit > f.newest+1 {
		t.Gap = true
		return t, nil
	}
	if f.more || f.commits == maxTailCommits {
		t.Next, t.More = f.after[len(f.after)-1], true
	}
	t.Items, err = s.readTailItems(ctx, q, f)
	return t, err
}

func (f *feedPage) scanRow(rows *sql.Rows, after record.Position, limit int) error {
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
		if len(f.ids) == limit {
			f.more = true
			return nil
		}
		f.ids, f.after = append(f.ids, uuid.UUID(ids[:16])), append(f.after, at)
	}
	return nil
}

func (s *Store) readTailItems(ctx context.Context, q record.Query, f feedPage) ([]record.TailItem, error) {
	if len(f.ids) == 0 {
		return nil, nil
	}
	w := s.newWhere(q).addRange("time_us", queryRange(q))
	days := map[int64]bool{}
	ids := make([][]byte, len(f.ids))
	for i := range f.ids {
		ids[i], days[record.DayOfID(f.ids[i])] = f.ids[i][:], true
	}
	w.text.WriteString(" AND ")
	w.writeAnyOf("id", ids)
	w.text.WriteString(" AND ")
	w.writeIn("day", toAnySlice(slices.Sorted(maps.Keys(days))))
	byID := make(map[uuid.UUID]*record.Record, len(f.ids))
	err := s.readRows(ctx, `SELECT record FROM requests WHERE `+w.text.String(), w.args, func(rows *sql.Rows) error {
		r, err := scanRecord(rows)
		if err == nil {
			byID[r.ID] = r
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var items []record.TailItem
	for i, id := range f.ids {
		if r, ok := byID[id]; ok {
			items = append(items, record.TailItem{Position: f.after[i], Record: *r})
		}
	}
	return items, nil
}
