package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

const insertOutcome = `
INSERT INTO outcomes (account_id, id, source, model, topic, predicted, observed, weight, served_us, received_us)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (account_id, id) DO NOTHING`

// AddOutcomes stores the outcomes whose ids are new, and returns their number.
func (s *Store) AddOutcomes(ctx context.Context, all []evidence.Outcome) (added int64, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, insertOutcome)
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }()
		now := time.Now().UnixMicro()
		for _, o := range all {
			result, err := insert.ExecContext(ctx, o.Account, o.ID, o.Source, o.Model, o.Topic,
				o.Predicted, o.Observed, o.Weight, o.Time.UnixMicro(), now)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			added += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("add outcomes: %w", err)
	}
	return added, nil
}

const (
	lockLearner = `LOCK TABLE learner IN SHARE ROW EXCLUSIVE MODE`
	selectState = `SELECT state FROM learner WHERE id = 1`
	updateState = `UPDATE learner SET state = $1 WHERE id = 1`
	selectFresh = `
SELECT seq, account_id, id, source, model, topic, predicted, observed, weight, served_us
FROM outcomes WHERE learned = 0 ORDER BY seq LIMIT $1`
	// The outcomes of a step have the lowest numbers among those that are not learned. An
	// outcome with a lower number may still be committed later, so each one is marked.
	markLearned = `UPDATE outcomes SET learned = 1 WHERE seq = $1`
)

// Learn runs one step of the learner in a transaction. On Postgres the table is locked, so
// that steps run one after the other; SQLite serializes all writes.
func (s *Store) Learn(ctx context.Context, limit int, step func([]byte, []evidence.Outcome) (evidence.StepResult, error)) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		if s.db.Dialect == sqldb.Postgres {
			if _, err := tx.ExecContext(ctx, lockLearner); err != nil {
				return err
			}
		}
		var state []byte
		if err := tx.QueryRowContext(ctx, selectState).Scan(&state); err != nil {
			return err
		}
		numbers, fresh, err := readFresh(ctx, tx, limit)
		if err != nil {
			return err
		}
		result, err := step(state, fresh)
		if err != nil {
			return err
		}
		return storeStep(ctx, tx, numbers, result)
	})
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	return nil
}

func readFresh(ctx context.Context, tx *sql.Tx, limit int) (numbers []int64, fresh []evidence.Outcome, err error) {
	rows, err := tx.QueryContext(ctx, selectFresh, limit)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var seq, served int64
		var o evidence.Outcome
		err := rows.Scan(&seq, &o.Account, &o.ID, &o.Source, &o.Model, &o.Topic, &o.Predicted, &o.Observed, &o.Weight, &served)
		if err != nil {
			return nil, nil, err
		}
		o.Time = fromUnixMicro(served)
		numbers, fresh = append(numbers, seq), append(fresh, o)
	}
	return numbers, fresh, rows.Err()
}

func storeStep(ctx context.Context, tx *sql.Tx, numbers []int64, r evidence.StepResult) error {
	// SQLite returns an empty state as nil, which would be stored as NULL.
	if _, err := tx.ExecContext(ctx, updateState, append([]byte{}, r.State...)); err != nil {
		return err
	}
	mark, err := tx.PrepareContext(ctx, markLearned)
	if err != nil {
		return err
	}
	defer func() { _ = mark.Close() }()
	for _, seq := range numbers {
		if _, err := mark.ExecContext(ctx, seq); err != nil {
			return err
		}
	}
	if r.New == nil {
		return nil
	}
	return addVersion(ctx, tx, r.New, r.Unpin)
}

const deleteOutcomes = `DELETE FROM outcomes WHERE received_us < $1 AND learned = 1`

// Forget deletes outcomes that were received before a time and that the learner has seen.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, deleteOutcomes, before.UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("delete old outcomes: %w", err)
	}
	return nil
}
