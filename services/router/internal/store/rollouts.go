package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

const (
	insertRollout = `
INSERT INTO rollouts (id, revision, state, stable, candidate, share, started_us, step_started_us, ended_us, author, note, reason, guardrails, open)
VALUES ($1, 1, $2, $3, $4, $5, $6, $7, 0, $8, $9, '', $10, 1)`
	insertRolloutEvent = `
INSERT INTO rollout_events (rollout, at_us, action, share, author, reason) VALUES ($1, $2, $3, $4, $5, $6)`
	updateRollout = `
UPDATE rollouts SET revision = revision + 1, state = $3, share = $4, step_started_us = $5, ended_us = $6, reason = $7, open = $8
WHERE id = $1 AND revision = $2 AND open = 1`
)

// StartRollout stores the candidate version, unless it is already stored, and a new rollout.
// The stable version of the rollout must be active, otherwise it returns
// engine.ErrConflict. If a rollout is open, it returns rollouts.ErrOpen.
func (s *Store) StartRollout(ctx context.Context, r rollouts.Rollout, e rollouts.Event, candidate engine.Version) error {
	limits, err := json.Marshal(r.Guardrails)
	if err != nil {
		return fmt.Errorf("start rollout: %w", err)
	}
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := s.checkExpected(ctx, tx, r.Stable); err != nil {
			return err
		}
		if err := insertNewVersion(ctx, tx, candidate); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, insertRollout, r.ID, r.State, r.Stable, r.Candidate, r.Share,
			r.Started.UnixMicro(), r.StepStarted.UnixMicro(), r.Author, r.Note, string(limits))
		if sqldb.IsUniqueViolation(err) {
			return rollouts.ErrOpen
		}
		if err != nil {
			return err
		}
		return insertEvent(ctx, tx, r.ID, e)
	})
	if err != nil {
		return fmt.Errorf("start rollout: %w", err)
	}
	return nil
}

// ChangeRollout stores a changed rollout and its event, if the stored one still has the
// revision of r and is open. Otherwise it returns rollouts.ErrChanged. A completed rollout
// activates v in the same transaction; v is ignored for other states.
func (s *Store) ChangeRollout(ctx context.Context, r rollouts.Rollout, e rollouts.Event, v engine.Version) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if r.State == rollouts.Completed {
			if err := s.checkExpected(ctx, tx, r.Stable); err != nil {
				return err
			}
		}
		if err := updateOpen(ctx, tx, r, e); err != nil {
			return err
		}
		if r.State != rollouts.Completed {
			return nil
		}
		return activateVersion(ctx, tx, v)
	})
	if err != nil {
		return fmt.Errorf("change rollout: %w", err)
	}
	return nil
}

func updateOpen(ctx context.Context, tx *sql.Tx, r rollouts.Rollout, e rollouts.Event) error {
	var open sql.NullInt64
	if open.Valid = r.IsOpen(); open.Valid {
		open.Int64 = 1
	}
	done, err := tx.ExecContext(ctx, updateRollout, r.ID, r.Revision, r.State, r.Share, r.StepStarted.UnixMicro(), toUnixMicro(r.Ended), r.Reason, open)
	if err != nil {
		return err
	}
	switch n, err := done.RowsAffected(); {
	case err != nil:
		return err
	case n == 0:
		return rollouts.ErrChanged
	}
	return insertEvent(ctx, tx, r.ID, e)
}

func insertEvent(ctx context.Context, tx *sql.Tx, id string, e rollouts.Event) error {
	_, err := tx.ExecContext(ctx, insertRolloutEvent, id, e.At.UnixMicro(), e.Action, e.Share, e.Author, e.Reason)
	return err
}

// supersedeOpen ends the open rollout, because another version becomes active.
func supersedeOpen(ctx context.Context, tx *sql.Tx, v engine.Version) error {
	r, err := scanRollout(tx.QueryRowContext(ctx, selectRollouts+` WHERE open = 1`))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	next, e := r.Supersede(rollouts.Cause{At: v.Activated, Author: v.Author, Reason: "version " + v.Name + " became active"})
	return updateOpen(ctx, tx, next, e)
}

// toUnixMicro returns 0 for the zero time.
func toUnixMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
