package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
)

const (
	ruleColumns  = `id, account_id, name, kind, threshold, window_seconds, min_requests, enabled, channels, author_id, author, updated_us`
	selectRules  = `SELECT ` + ruleColumns + ` FROM alert_rules WHERE account_id = $1 ORDER BY id`
	enabledRules = `SELECT ` + ruleColumns + ` FROM alert_rules WHERE enabled = 1 AND id > $1 ORDER BY id LIMIT $2`
	insertRule   = `INSERT INTO alert_rules (` + ruleColumns + `)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 WHERE (SELECT COUNT(*) FROM alert_rules WHERE account_id = $2) < $13`
	updateRule = `UPDATE alert_rules SET name = $3, kind = $4, threshold = $5, window_seconds = $6, min_requests = $7, enabled = $8, channels = $9,
		author_id = $10, author = $11, updated_us = $12 WHERE id = $1 AND account_id = $2`
	deleteRule       = `DELETE FROM alert_rules WHERE id = $1 AND account_id = $2`
	deleteRuleStates = `DELETE FROM alert_states WHERE rule_id = $1 AND account_id = $2`
	// A saved rule starts without states, unless it keeps firing for the same reason.
	resetRuleStates = `DELETE FROM alert_states WHERE rule_id = $1 AND account_id = $2 AND firing = 0`

	stateColumns  = `rule_id, subject, account_id, name, firing, incident, since_us, suspect_us, value, revision`
	selectStates  = `SELECT ` + stateColumns + ` FROM alert_states WHERE rule_id = $1`
	accountStates = `SELECT ` + stateColumns + ` FROM alert_states WHERE account_id = $1 AND firing = 1 ORDER BY since_us DESC`
	selectEvents  = `SELECT id, account_id, rule_id, incident, firing, at_us, text FROM alert_events WHERE account_id = $1 ORDER BY at_us DESC, id LIMIT $2`
)

// AlertRules returns the rules of an account.
func (s *Store) AlertRules(ctx context.Context, account string) ([]alert.Rule, error) {
	return s.readRules(ctx, selectRules, account)
}

// EnabledAlertRules returns the next enabled rules of all accounts, by id.
func (s *Store) EnabledAlertRules(ctx context.Context, after string, limit int) ([]alert.Rule, error) {
	return s.readRules(ctx, enabledRules, after, limit)
}

func (s *Store) readRules(ctx context.Context, statement string, args ...any) ([]alert.Rule, error) {
	var all []alert.Rule
	err := s.readRows(ctx, statement, args, func(rows *sql.Rows) error {
		var r alert.Rule
		var window, enabled, updated int64
		var channels string
		err := rows.Scan(&r.ID, &r.AccountID, &r.Name, &r.Kind, &r.Threshold, &window, &r.MinRequests, &enabled, &channels, &r.AuthorID, &r.Author, &updated)
		if err != nil {
			return err
		}
		r.Window, r.Enabled, r.Updated = time.Duration(window)*time.Second, enabled == 1, time.UnixMicro(updated).UTC()
		err = json.Unmarshal([]byte(channels), &r.Channels)
		all = append(all, r)
		return err
	})
	return all, err
}

// CreateAlertRule stores a rule. Error: INVALID_REQUEST if the account has too many.
func (s *Store) CreateAlertRule(ctx context.Context, r alert.Rule) error {
	changed, err := s.writeRule(ctx, insertRule, r, alert.MaxRules)
	if err == nil && !changed {
		return apperr.New(apperr.InvalidRequest, fmt.Sprintf("an account can have at most %d alerts; delete one first", alert.MaxRules))
	}
	return err
}

// UpdateAlertRule replaces a rule of an account. Error: NOT_FOUND.
func (s *Store) UpdateAlertRule(ctx context.Context, r alert.Rule) error {
	changed, err := s.writeRule(ctx, updateRule, r)
	if err == nil && !changed {
		return apperr.New(apperr.NotFound, "the alert does not exist")
	}
	return err
}

func (s *Store) writeRule(ctx context.Context, statement string, r alert.Rule, more ...any) (changed bool, err error) {
	channels, err := json.Marshal(append([]string{}, r.Channels...))
	if err != nil {
		return false, err
	}
	args := append([]any{
		r.ID, r.AccountID, codec.CleanText(r.Name), string(r.Kind), r.Threshold, int64(r.Window / time.Second), r.MinRequests, toBit(r.Enabled),
		string(channels), r.AuthorID, codec.CleanText(r.Author), r.Updated.UnixMicro(),
	}, more...)
	err = s.writeAlerts(ctx, func(tx *sql.Tx) (err error) {
		if changed, err = execChanged(ctx, tx, statement, args...); err != nil || !changed {
			return err
		}
		reset := resetRuleStates
		if !r.Enabled {
			reset = deleteRuleStates
		}
		_, err = tx.ExecContext(ctx, reset, r.ID, r.AccountID)
		return err
	})
	return changed, err
}

// DeleteAlertRule deletes a rule of an account and its states. Error: NOT_FOUND.
func (s *Store) DeleteAlertRule(ctx context.Context, account, id string) error {
	return s.writeAlerts(ctx, func(tx *sql.Tx) error {
		changed, err := execChanged(ctx, tx, deleteRule, codec.CleanText(id), account)
		if err != nil {
			return err
		}
		if !changed {
			return apperr.New(apperr.NotFound, "the alert does not exist")
		}
		_, err = tx.ExecContext(ctx, deleteRuleStates, id, account)
		return err
	})
}

// AlertStates returns the states of a rule.
func (s *Store) AlertStates(ctx context.Context, ruleID string) ([]alert.State, error) {
	return s.readStates(ctx, selectStates, ruleID)
}

// FiringAlerts returns the states of an account that fire.
func (s *Store) FiringAlerts(ctx context.Context, account string) ([]alert.State, error) {
	return s.readStates(ctx, accountStates, account)
}

func (s *Store) readStates(ctx context.Context, statement, arg string) ([]alert.State, error) {
	var all []alert.State
	err := s.readRows(ctx, statement, []any{arg}, func(rows *sql.Rows) error {
		var st alert.State
		var firing, since, suspect int64
		err := rows.Scan(&st.RuleID, &st.Subject, &st.AccountID, &st.Name, &firing, &st.Incident, &since, &suspect, &st.Value, &st.Revision)
		st.Firing, st.Since, st.Suspect = firing == 1, fromMicros(since), fromMicros(suspect)
		all = append(all, st)
		return err
	})
	return all, err
}

// AlertEvents returns the newest events of an account, newest first.
func (s *Store) AlertEvents(ctx context.Context, account string, limit int) ([]alert.Event, error) {
	var all []alert.Event
	err := s.readRows(ctx, selectEvents, []any{account, limit}, func(rows *sql.Rows) error {
		var e alert.Event
		var firing, at int64
		err := rows.Scan(&e.ID, &e.AccountID, &e.RuleID, &e.Incident, &firing, &at, &e.Text)
		e.Firing, e.At = firing == 1, fromMicros(at)
		all = append(all, e)
		return err
	})
	return all, err
}

// fromMicros returns the zero time for 0.
func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// toMicrosOrZero is the reverse of fromMicros.
func toMicrosOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// writeAlerts runs f in a transaction. Errors of the database become errors for clients.
func (s *Store) writeAlerts(ctx context.Context, f func(tx *sql.Tx) error) error {
	var own error
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		err := f(tx)
		if apperr.CodeOf(err) != apperr.Internal {
			own = err
		}
		return err
	})
	switch {
	case own != nil:
		return own
	case err != nil:
		return unavailableError(fmt.Errorf("write alerts: %w", err))
	}
	return nil
}

func execChanged(ctx context.Context, tx *sql.Tx, statement string, args ...any) (bool, error) {
	res, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
