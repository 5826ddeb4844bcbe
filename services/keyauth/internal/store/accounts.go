package store

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const accountColumns = `a.id, a.name, a.baseline_model, a.capture, a.content_days, a.operator, a.created_us, a.claim_hash`

func accountFields(a *account.Account) []any {
	return []any{&a.ID, &a.Name, &a.BaselineModel, &a.Capture, &a.ContentDays, &a.Operator, (*stamp)(&a.CreatedAt), &a.Claim}
}

const (
	selectAccount  = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.id = $1`
	selectOperator = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.operator`
)

func (r rows) Account(ctx context.Context, id string) (account.Account, error) {
	var a account.Account
	err := r.q.QueryRowContext(ctx, selectAccount, id).Scan(accountFields(&a)...)
	return a, none(err)
}

func (r rows) Operator(ctx context.Context) (account.Account, error) {
	var a account.Account
	err := r.q.QueryRowContext(ctx, selectOperator).Scan(accountFields(&a)...)
	return a, none(err)
}

const upsertAccount = `
INSERT INTO accounts (id, name, baseline_model, capture, content_days, operator, created_us, claim_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, baseline_model = excluded.baseline_model,
    capture = excluded.capture, content_days = excluded.content_days, claim_hash = excluded.claim_hash`

func (t *tx) SaveAccount(ctx context.Context, a account.Account, c account.Cause) error {
	_, err := t.q.ExecContext(ctx, upsertAccount, a.ID, a.Name, a.BaselineModel, string(a.Capture), a.ContentDays,
		a.Operator, stamp(a.CreatedAt), a.Claim)
	if err != nil {
		return fmt.Errorf("save account: %w", err)
	}
	return t.log(ctx, a.ID, "", c)
}

const (
	selectHead    = `SELECT version FROM installation`
	selectChanges = `SELECT version, account_id, key_id FROM changes WHERE version > $1 ORDER BY version LIMIT $2`
)

func (r rows) Head(ctx context.Context) (int64, error) {
	var version int64
	err := r.q.QueryRowContext(ctx, selectHead).Scan(&version)
	return version, err
}

func (r rows) Changes(ctx context.Context, after int64, limit int) ([]account.Change, error) {
	found, err := r.q.QueryContext(ctx, selectChanges, after, limit)
	return collect(found, err, func(s scanner) (c account.Change, err error) {
		err = s.Scan(&c.Version, &c.AccountID, &c.KeyID)
		return c, err
	})
}

const (
	nextVersion  = `UPDATE installation SET version = version + 1 RETURNING version`
	insertChange = `INSERT INTO changes (version, account_id, key_id, user_id, action, at_us) VALUES ($1, $2, $3, $4, $5, $6)`
)

// log appends to the change log, in the transaction of the change itself.
func (t *tx) log(ctx context.Context, accountID, keyID string, c account.Cause) error {
	var version int64
	if err := t.q.QueryRowContext(ctx, nextVersion).Scan(&version); err != nil {
		return fmt.Errorf("take a version: %w", err)
	}
	_, err := t.q.ExecContext(ctx, insertChange, version, accountID, keyID, c.UserID, c.Action, stamp(c.At))
	if err != nil {
		return fmt.Errorf("append to the change log: %w", err)
	}
	return nil
}
