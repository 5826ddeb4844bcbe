package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

const (
	selectDrains = `SELECT provider, model, reason, author, since_us FROM drains ORDER BY provider, model`
	upsertDrain  = `
INSERT INTO drains (provider, model, reason, author, since_us) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (provider, model) DO UPDATE SET reason = excluded.reason, author = excluded.author, since_us = excluded.since_us`
	deleteDrain      = `DELETE FROM drains WHERE provider = $1 AND model = $2`
	insertDrainEvent = `
INSERT INTO drain_events (at_us, action, provider, model, reason, author) VALUES ($1, $2, $3, $4, $5, $6)`
	selectLatestDrain = `SELECT COALESCE(MAX(id), 0) FROM drain_events`
	drained, resumed  = "drain", "resume"
)

// Drains returns what is drained and the number of the last change. It reads the number
// first, so that a change in between is read again later.
func (s *Store) Drains(ctx context.Context) (all []engine.Drain, change int64, err error) {
	if change, err = s.LatestDrainChange(ctx); err != nil {
		return nil, 0, err
	}
	all, err = sqldb.QueryAll(ctx, s.db.Read(), selectDrains, nil, scanDrain)
	if err != nil {
		return nil, 0, fmt.Errorf("read drains: %w", err)
	}
	return all, change, nil
}

func scanDrain(rows *sql.Rows) (d engine.Drain, err error) {
	var since int64
	err = rows.Scan(&d.Provider, &d.Model, &d.Reason, &d.Author, &since)
	d.Since = fromUnixMicro(since)
	return d, err
}

// LatestDrainChange returns a number that grows with every drain and resume by any router.
func (s *Store) LatestDrainChange(ctx context.Context) (n int64, err error) {
	if err := s.db.Read().QueryRowContext(ctx, selectLatestDrain).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the last drain: %w", err)
	}
	return n, nil
}

// Drain stores a drain. It replaces an earlier one of the same provider and model.
func (s *Store) Drain(ctx context.Context, d engine.Drain) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, upsertDrain, d.Provider, d.Model, d.Reason, d.Author, d.Since.UnixMicro()); err != nil {
			return err
		}
		return insertDrainChange(ctx, tx, drained, d)
	})
	if err != nil {
		return fmt.Errorf("store drain: %w", err)
	}
	return nil
}

// Resume removes the drain of d's provider and model. It returns false if there is none.
func (s *Store) Resume(ctx context.Context, d engine.Drain) (found bool, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, deleteDrain, d.Provider, d.Model)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if found = n > 0; err != nil || !found {
			return err
		}
		return insertDrainChange(ctx, tx, resumed, d)
	})
	if err != nil {
		return false, fmt.Errorf("remove drain: %w", err)
	}
	return found, nil
}

func insertDrainChange(ctx context.Context, tx *sql.Tx, action string, d engine.Drain) error {
	_, err := tx.ExecContext(ctx, insertDrainEvent, d.Since.UnixMicro(), action, d.Provider, d.Model, d.Reason, d.Author)
	return err
}
