package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	selectByID  = `SELECT record FROM requests WHERE id = $1 AND day = $2`
	selectByIDs = `SELECT r.record FROM unnest($1::bytea[], $2::bigint[]) AS wanted(id, day)
		JOIN requests r ON r.id = wanted.id AND r.day = wanted.day`
)

// findRequests returns the requests of the items by id, whatever their account. It reads
// those that the batch does not contain.
func (s *Store) findRequests(ctx context.Context, tx *sql.Tx, items []evidence.Item, batch []*record.Record) (map[uuid.UUID]*record.Record, error) {
	found := make(map[uuid.UUID]*record.Record, len(items))
	for _, r := range batch {
		found[r.ID] = r
	}
	var wanted []uuid.UUID
	for i := range items {
		if id := items[i].RequestID; found[id] == nil && (len(wanted) == 0 || wanted[len(wanted)-1] != id) { // the items are sorted
			wanted = append(wanted, id)
		}
	}
	if len(wanted) == 0 {
		return found, nil
	}
	all, err := s.readRequests(ctx, tx, wanted)
	if err != nil {
		return nil, fmt.Errorf("find requests of evidence: %w", err)
	}
	for _, r := range all {
		found[r.ID] = r
	}
	return found, nil
}

func (s *Store) readRequests(ctx context.Context, tx *sql.Tx, ids []uuid.UUID) (found []*record.Record, err error) {
	if s.db.Dialect == sqldb.Postgres {
		keys, days := make([][]byte, len(ids)), make([]int64, len(ids))
		for i := range ids {
			keys[i], days[i] = ids[i][:], record.DayOfID(ids[i])
		}
		return sqldb.QueryAll(ctx, tx, selectByIDs, []any{keys, days}, func(rows *sql.Rows) (*record.Record, error) { return scanRecord(rows) })
	}
	for i := range ids {
		r, err := scanRecord(tx.QueryRowContext(ctx, selectByID, ids[i][:], record.DayOfID(ids[i])))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}
