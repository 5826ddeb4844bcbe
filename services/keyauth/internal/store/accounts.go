package store

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

const accountColumns = `a.id, a.name, a.baseline_model, a.capture, a.content_days, a.operator, a.created_us, a.claim_hash,
    a.requests_per_minute, a.tokens_per_minute, a.concurrent_requests, a.nano_usd_per_day, a.nano_usd_per_month,
    a.webhook_url, a.webhook_secret, a.allow_experiments`

func accountFields(a *access.Account) []any {
	l := &a.Limits
	return []any{
		&a.ID, &a.Name, &a.BaselineModel, &a.Capture, &a.ContentDays, &a.Operator, (*microTime)(&a.CreatedAt), &a.ClaimHash,
		&l.RequestsPerMinute, &l.TokensPerMinute, &l.ConcurrentRequests, &l.NanoUSDPerDay, &l.NanoUSDPerMonth,
		&a.WebhookURL, &a.WebhookSecret, &a.AllowExperiments,
	}
}

const (
	selectAccount  = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.id = $1`
	selectOperator = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.operator`
	selectAccounts = `SELECT ` + accountColumns + ` FROM accounts a WHERE a.id > $1 ORDER BY a.id LIMIT $2`
)

func (r rows) Account(ctx context.Context, id string) (access.Account, error) {
	var a access.Account
	err := queryRow(ctx, r.q, inAccount(id), selectAccount, []any{id}, accountFields(&a)...)
	return a, err
}

func (r rows) Operator(ctx context.Context) (access.Account, error) {
	var a access.Account
	err := queryRow(ctx, r.q, acrossOperator, selectOperator, nil, accountFields(&a)...)
	return a, err
}

func (r rows) Accounts(ctx context.Context, after string, limit int) ([]access.Account, error) {
	return queryAll(ctx, r.q, acrossOperator, selectAccounts, []any{after, limit}, accountFields)
}

const upsertAccount = `
INSERT INTO accounts (id, name, baseline_model, capture, content_days, operator, created_us, claim_hash,
    requests_per_minute, tokens_per_minute, concurrent_requests, nano_usd_per_day, nano_usd_per_month,
    webhook_url, webhook_secret, allow_experiments)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, baseline_model = excluded.baseline_model,
    capture = excluded.capture, content_days = excluded.content_days, claim_hash = excluded.claim_hash,
    requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute,
    concurrent_requests = excluded.concurrent_requests, nano_usd_per_day = excluded.nano_usd_per_day,
    nano_usd_per_month = excluded.nano_usd_per_month, webhook_url = excluded.webhook_url,
    webhook_secret = excluded.webhook_secret, allow_experiments = excluded.allow_experiments`

func (t *tx) SaveAccount(ctx context.Context, a access.Account) error {
	l := a.Limits
	err := t.execute(ctx, inAccount(a.ID), "save account", upsertAccount, a.ID, a.Name, a.BaselineModel, string(a.Capture),
		a.ContentDays, a.Operator, microTime(a.CreatedAt), a.ClaimHash, l.RequestsPerMinute, l.TokensPerMinute,
		l.ConcurrentRequests, l.NanoUSDPerDay, l.NanoUSDPerMonth, a.WebhookURL, a.WebhookSecret,
		a.AllowExperiments)
	if err != nil {
		return err
	}
	return t.appendChange(ctx, a.ID, "")
}
