package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	selectUnreported = `SELECT ` + itemColumnNames + ` FROM evidence
		WHERE reported = 0 AND kind = 'feedback' AND created_us < $1 ORDER BY created_us LIMIT $2`
	// A rating that was replaced meanwhile is another rating, and stays unreported.
	markReported = `UPDATE evidence SET reported = 1
		WHERE request_id = $1 AND account_id = $2 AND kind = $3 AND source = $4 AND created_us = $5`
)

// UnreportedFeedback returns the oldest ratings from before a time that the router does not
// know, and their requests by id.
func (s *Store) UnreportedFeedback(ctx context.Context, before time.Time, limit int) ([]evidence.Item, map[uuid.UUID]*record.Record, error) {
	tx, err := s.db.Read().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, fmt.Errorf("read unreported feedback: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	items, err := sqldb.QueryAll(ctx, tx, selectUnreported, []any{before.UnixMicro(), limit}, scanItem)
	if err != nil || len(items) == 0 {
		return nil, nil, err
	}
	requests, err := s.findRequests(ctx, tx, evidence.Latest(items), nil)
	return items, requests, err
}

// MarkReported notes that the router knows ratings.
func (s *Store) MarkReported(ctx context.Context, items []evidence.Item) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		for i := range items {
			e := &items[i]
			if _, err := tx.ExecContext(ctx, markReported, e.RequestID[:], codec.CleanText(e.AccountID), string(e.Kind), limitName(e.Source), e.Created.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("mark reported feedback: %w", err)
	}
	return nil
}
