package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
)

const (
	holdAlertLease = `UPDATE alert_clock SET holder = $1, until_us = $3 WHERE id = 1 AND (holder = $1 OR until_us <= $2)`

	// A rule that was saved or deleted since its evaluation must not change.
	lockUnchangedRule = `UPDATE alert_rules SET updated_us = updated_us WHERE id = $1 AND account_id = $2 AND updated_us = $3 AND enabled = 1`
	insertState       = `INSERT INTO alert_states (` + stateColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1) ON CONFLICT (rule_id, subject) DO NOTHING`
	updateState       = `UPDATE alert_states SET name = $4, firing = $5, incident = $6, since_us = $7, suspect_us = $8, value = $9, revision = revision + 1
		WHERE rule_id = $1 AND subject = $2 AND account_id = $3 AND revision = $10`
	insertEvent     = `INSERT INTO alert_events (id, account_id, rule_id, incident, firing, at_us, text) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	deleteOldEvents = `DELETE FROM alert_events WHERE account_id = $1 AND id IN (SELECT id FROM alert_events WHERE account_id = $1 ORDER BY at_us DESC, id LIMIT 1000 OFFSET $2)`
	insertDelivery  = `INSERT INTO alert_deliveries (id, account_id, channel_id, incident, message, held, due_us)
		SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT COUNT(*) FROM alert_deliveries WHERE account_id = $2) < $8`
	deleteStart = `DELETE FROM alert_deliveries WHERE account_id = $1 AND channel_id = $2 AND incident = $3 RETURNING held, tries, due_us`

	// takeDeliveries repeats the condition on due_us: on Postgres, a process that waited for
	// the row of another one checks it again.
	takeDeliveries = `UPDATE alert_deliveries SET tries = tries + 1, due_us = $2 WHERE due_us <= $1 AND id IN (
		SELECT id FROM (SELECT id, due_us, ROW_NUMBER() OVER (PARTITION BY channel_id ORDER BY due_us, id) AS place FROM alert_deliveries WHERE due_us <= $1) AS due
		WHERE place = 1 ORDER BY due_us LIMIT $3)
		RETURNING id, account_id, channel_id, incident, message, held, due_us, tries`
	delayDelivery  = `UPDATE alert_deliveries SET due_us = $4 WHERE id = $1 AND account_id = $2 AND tries = $3`
	finishDelivery = `DELETE FROM alert_deliveries WHERE id = $1 AND account_id = $2 AND tries = $3`
)

// HoldAlertLease takes or renews the lease of the evaluator. It returns false if another
// holder has it.
func (s *Store) HoldAlertLease(ctx context.Context, holder string, now, until time.Time) (held bool, err error) {
	err = s.writeAlerts(ctx, func(tx *sql.Tx) (err error) {
		held, err = execChanged(ctx, tx, holdAlertLease, holder, now.UnixMicro(), until.UnixMicro())
		return err
	})
	return held, err
}

// SaveAlertChange stores a change of a state; see alert.Store.
func (s *Store) SaveAlertChange(ctx context.Context, c alert.Change) (stored bool, err error) {
	err = s.writeAlerts(ctx, func(tx *sql.Tx) (err error) {
		if stored, err = saveState(ctx, tx, c); err != nil || !stored || c.Event == nil {
			return err
		}
		return saveEvent(ctx, tx, c)
	})
	return stored && err == nil, err
}

func saveState(ctx context.Context, tx *sql.Tx, c alert.Change) (bool, error) {
	same, err := execChanged(ctx, tx, lockUnchangedRule, c.Rule.ID, c.Rule.AccountID, c.Rule.Updated.UnixMicro())
	if err != nil || !same {
		return false, err
	}
	st := c.State
	args := []any{
		st.RuleID, codec.CleanText(st.Subject), st.AccountID, codec.CleanText(st.Name), toBit(st.Firing), st.Incident,
		toMicrosOrZero(st.Since), toMicrosOrZero(st.Suspect), st.Value,
	}
	if st.Revision == 0 {
		return execChanged(ctx, tx, insertState, args...)
	}
	return execChanged(ctx, tx, updateState, append(args, st.Revision)...)
}

func saveEvent(ctx context.Context, tx *sql.Tx, c alert.Change) error {
	e := c.Event
	_, err := tx.ExecContext(ctx, insertEvent, e.ID, e.AccountID, e.RuleID, e.Incident, toBit(e.Firing), e.At.UnixMicro(), codec.CleanText(e.Text))
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, deleteOldEvents, e.AccountID, alert.MaxEvents); err != nil {
		return err
	}
	for _, d := range c.Deliveries {
		if err := queueDelivery(ctx, tx, d, e); err != nil {
			return err
		}
	}
	return nil
}

// queueDelivery stores a delivery. The end of an alert replaces its start if that still waits,
// because a repeated attempt would deliver the start after the end. If quiet hours held the
// start, both are dropped: the user would read about a problem that is over.
func queueDelivery(ctx context.Context, tx *sql.Tx, d alert.Delivery, e *alert.Event) error {
	if !e.Firing {
		start, dropped, err := dropStart(ctx, tx, d)
		if err != nil || (dropped && start.Held && start.Tries == 0) {
			return err
		}
		// A process may be sending the start at this moment. Its lease ends after the attempt.
		if sent := earlier(start.Due, e.At.Add(alert.DeliveryLease)); dropped && start.Tries > 0 && sent.After(d.Due) {
			d.Due = sent
		}
	}
	message, err := json.Marshal(d.Message)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertDelivery, d.ID, d.AccountID, d.ChannelID, d.Incident, codec.CleanText(string(message)), toBit(d.Held), d.Due.UnixMicro(), alert.MaxDeliveries)
	return err
}

// dropStart deletes the delivery about the start of the incident that d ends, and returns it.
func dropStart(ctx context.Context, tx *sql.Tx, d alert.Delivery) (start alert.Delivery, dropped bool, err error) {
	var held, due int64
	err = tx.QueryRowContext(ctx, deleteStart, d.AccountID, d.ChannelID, d.Incident).Scan(&held, &start.Tries, &due)
	if errors.Is(err, sql.ErrNoRows) {
		return start, false, nil
	}
	start.Held, start.Due = held == 1, fromMicros(due)
	return start, err == nil, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// TakeAlertDeliveries takes due deliveries; see alert.Queue.
func (s *Store) TakeAlertDeliveries(ctx context.Context, now, until time.Time, limit int) (taken []alert.Delivery, err error) {
	var due bool
	err = s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM alert_deliveries WHERE due_us <= $1)`, now.UnixMicro()).Scan(&due)
	if err != nil || !due {
		return nil, toReadError(err)
	}
	err = s.writeAlerts(ctx, func(tx *sql.Tx) (err error) {
		taken, err = sqldb.QueryAll(ctx, tx, takeDeliveries, []any{now.UnixMicro(), until.UnixMicro(), limit}, scanDelivery)
		return err
	})
	return taken, err
}

func scanDelivery(rows *sql.Rows) (alert.Delivery, error) {
	var d alert.Delivery
	var message string
	var held, due int64
	err := rows.Scan(&d.ID, &d.AccountID, &d.ChannelID, &d.Incident, &message, &held, &due, &d.Tries)
	if err != nil {
		return d, err
	}
	d.Held, d.Due = held == 1, fromMicros(due)
	return d, json.Unmarshal([]byte(message), &d.Message)
}

// DelayAlertDelivery sets the time of the next attempt; see alert.Queue.
func (s *Store) DelayAlertDelivery(ctx context.Context, d alert.Delivery, failure string, at, due time.Time) error {
	return s.endAttempt(ctx, d, failure, at, delayDelivery, d.ID, d.AccountID, d.Tries, due.UnixMicro())
}

// FinishAlertDelivery deletes a delivery; see alert.Queue.
func (s *Store) FinishAlertDelivery(ctx context.Context, d alert.Delivery, failure string, at time.Time) error {
	return s.endAttempt(ctx, d, failure, at, finishDelivery, d.ID, d.AccountID, d.Tries)
}

func (s *Store) endAttempt(ctx context.Context, d alert.Delivery, failure string, at time.Time, statement string, args ...any) error {
	taken := false
	err := s.writeAlerts(ctx, func(tx *sql.Tx) error {
		own, err := execChanged(ctx, tx, statement, args...)
		if taken = err == nil && !own; err != nil || taken {
			return err
		}
		_, err = tx.ExecContext(ctx, noteChannelResult, d.ChannelID, d.AccountID, codec.Truncate(codec.CleanText(failure), maxErrorBytes), at.UnixMicro())
		return err
	})
	if taken {
		return errors.Join(alert.ErrTaken, err)
	}
	return err
}
