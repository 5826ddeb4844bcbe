package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	anyWaiting   = `SELECT 1 FROM waiting_evidence LIMIT 1`
	takeByID     = `DELETE FROM waiting_evidence WHERE request_id = $1 RETURNING ` + itemColumnNames
	takeByIDs    = `DELETE FROM waiting_evidence WHERE request_id = ANY($1) RETURNING ` + itemColumnNames
	dropExpired  = `DELETE FROM waiting_evidence WHERE received_us < $1`
	findJoinable = `SELECT r.record FROM waiting_evidence w JOIN requests r ON r.id = w.request_id AND r.day = w.day LIMIT $1`
)

// takeWaiting removes the evidence that waited for the requests, and returns it.
func (s *Store) takeWaiting(ctx context.Context, tx *sql.Tx, stored []*record.Record) ([]evidence.Item, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var one int
	err := tx.QueryRowContext(ctx, anyWaiting).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read waiting evidence: %w", err)
	}
	items, err := s.takeByRequests(ctx, tx, stored)
	if err != nil {
		return nil, fmt.Errorf("take waiting evidence: %w", err)
	}
	return items, nil
}

func (s *Store) takeByRequests(ctx context.Context, tx *sql.Tx, stored []*record.Record) (items []evidence.Item, err error) {
	if s.db.Dialect == sqldb.Postgres {
		ids := make([][]byte, len(stored))
		for i, r := range stored {
			ids[i] = r.ID[:]
		}
		return sqldb.QueryAll(ctx, tx, takeByIDs, []any{ids}, scanItem)
	}
	for _, r := range stored {
		some, err := sqldb.QueryAll(ctx, tx, takeByID, []any{r.ID[:]}, scanItem)
		if err != nil {
			return nil, err
		}
		items = append(items, some...)
	}
	return items, nil
}

func scanItem(rows *sql.Rows) (e evidence.Item, err error) {
	dest, finish := itemFields(&e)
	err = rows.Scan(dest...)
	finish()
	return e, err
}

// joinPage is the number of requests whose evidence one transaction joins.
const joinPage = 500

// JoinWaitingEvidence joins evidence with requests that another dashboard stored at the
// same moment, and deletes evidence that has waited too long.
func (s *Store) JoinWaitingEvidence(ctx context.Context) error {
	for {
		found, err := queryRecords(ctx, s.db.Read(), findJoinable, []any{joinPage})
		if err != nil {
			return fmt.Errorf("find joinable evidence: %w", err)
		}
		if len(found) == 0 {
			_, err = s.ExecLocked(ctx, dropExpired, s.now().Add(-waitingTime).UnixMicro())
			return err
		}
		if err := s.joinFound(ctx, found); err != nil {
			return err
		}
	}
}

func (s *Store) joinFound(ctx context.Context, found []record.Record) error {
	stored := make([]*record.Record, len(found))
	for i := range found {
		stored[i] = &found[i]
	}
	stored = sortUnique(stored)
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		items, err := s.takeWaiting(ctx, tx, stored)
		if err != nil {
			return err
		}
		items = evidence.Latest(items)
		requests, err := s.findRequests(ctx, tx, items, stored)
		if err != nil {
			return err
		}
		return s.joinEvidence(ctx, tx, items, requests, s.now())
	})
}

const selectEvidence = `SELECT ` + itemColumnNames + ` FROM evidence WHERE request_id = $1 AND account_id = $2 ORDER BY created_us, kind, source`

// Evidence returns what is known about the response to a request of the account, oldest
// first.
func (s *Store) Evidence(ctx context.Context, account string, id [16]byte) ([]evidence.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	items, err := sqldb.QueryAll(ctx, s.db.Read(), selectEvidence, []any{id[:], account}, scanItem)
	return items, toReadError(err)
}
