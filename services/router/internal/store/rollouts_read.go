package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

const (
	selectRollouts = `
SELECT id, revision, state, stable, candidate, share, started_us, step_started_us, ended_us, author, note, reason, guardrails FROM rollouts`
	selectEvents = `SELECT id, at_us, action, share, author, reason FROM rollout_events WHERE rollout = $1 ORDER BY id DESC LIMIT 100`
)

// OpenRollout returns the open rollout without its events. It returns false if there is none.
func (s *Store) OpenRollout(ctx context.Context) (rollouts.Rollout, bool, error) {
	r, err := scanRollout(s.db.Read().QueryRowContext(ctx, selectRollouts+` WHERE open = 1`))
	if errors.Is(err, sql.ErrNoRows) {
		return rollouts.Rollout{}, false, nil
	}
	if err != nil {
		return rollouts.Rollout{}, false, fmt.Errorf("read the open rollout: %w", err)
	}
	return r, true, nil
}

// Rollouts returns rollouts with their events, the newest first.
func (s *Store) Rollouts(ctx context.Context, limit int) ([]rollouts.Rollout, error) {
	db := s.db.Read()
	all, err := sqldb.QueryAll(ctx, db, selectRollouts+` ORDER BY started_us DESC, id DESC LIMIT $1`, []any{limit},
		func(rows *sql.Rows) (rollouts.Rollout, error) { return scanRollout(rows) })
	if err != nil {
		return nil, fmt.Errorf("read rollouts: %w", err)
	}
	for i := range all {
		if all[i].Events, err = sqldb.QueryAll(ctx, db, selectEvents, []any{all[i].ID}, scanEvent); err != nil {
			return nil, fmt.Errorf("read the events of a rollout: %w", err)
		}
	}
	return all, nil
}

func scanEvent(rows *sql.Rows) (e rollouts.Event, err error) {
	var at int64
	err = rows.Scan(&e.ID, &at, &e.Action, &e.Share, &e.Author, &e.Reason)
	e.At = fromUnixMicro(at)
	return e, err
}

func scanRollout(row interface{ Scan(dest ...any) error }) (rollouts.Rollout, error) {
	var r rollouts.Rollout
	var started, step, ended int64
	var limits string
	err := row.Scan(&r.ID, &r.Revision, &r.State, &r.Stable, &r.Candidate, &r.Share, &started, &step, &ended, &r.Author, &r.Note, &r.Reason, &limits)
	if err != nil {
		return rollouts.Rollout{}, err
	}
	r.Started, r.StepStarted = fromUnixMicro(started), fromUnixMicro(step)
	if ended != 0 {
		r.Ended = fromUnixMicro(ended)
	}
	return r, json.Unmarshal([]byte(limits), &r.Guardrails)
}
