package store

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
)

const apiTokenColumns = `t.id, t.account_id, t.user_id, t.hash, t.prefix, t.name, t.scopes, t.created_us, t.expires_us, t.used_us`

func apiTokenFields(t *apitoken.Token) []any {
	return []any{
		&t.ID, &t.AccountID, &t.UserID, &t.Hash, &t.Prefix, &t.Name, (*jsonList)(&t.Scopes),
		(*microTime)(&t.CreatedAt), (*microTime)(&t.ExpiresAt), (*microTime)(&t.UsedAt),
	}
}

const (
	selectAPIToken = `SELECT ` + accountColumns + `, ` + userColumns + `, ` + apiTokenColumns + `
FROM api_tokens t JOIN users u ON u.id = t.user_id JOIN accounts a ON a.id = t.account_id WHERE t.hash = $1`
	selectAPITokens = `SELECT ` + apiTokenColumns + ` FROM api_tokens t
WHERE t.account_id = $1 AND ($2 = '' OR t.user_id = $2) AND t.expires_us > $3 ORDER BY t.created_us DESC, t.id DESC`
)

func (r rows) APIToken(ctx context.Context, hash []byte) (access.Identity, apitoken.Token, error) {
	var id access.Identity
	var token apitoken.Token
	into := append(accountFields(&id.Account), userFields(&id.User)...)
	into = append(into, apiTokenFields(&token)...)
	err := queryRow(ctx, r.q, acrossSession, selectAPIToken, []any{hash}, into...)
	return id, token, err
}

func (r rows) APITokens(ctx context.Context, accountID, userID string, at time.Time) ([]apitoken.Token, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectAPITokens, []any{accountID, userID, microTime(at)}, apiTokenFields)
}

const (
	upsertAPIToken = `
INSERT INTO api_tokens (id, account_id, user_id, hash, prefix, name, scopes, created_us, expires_us, used_us)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO UPDATE SET used_us = excluded.used_us`
	deleteAPIToken       = `DELETE FROM api_tokens WHERE account_id = $1 AND id = $2`
	deleteUserAPITokens  = `DELETE FROM api_tokens WHERE account_id = $1 AND user_id = $2`
	deleteStaleAPITokens = `DELETE FROM api_tokens WHERE account_id = $1 AND expires_us <= $2`
)

func (t *tx) SaveAPIToken(ctx context.Context, one apitoken.Token) error {
	return t.execute(ctx, inAccount(one.AccountID), "save token", upsertAPIToken, one.ID, one.AccountID, one.UserID, one.Hash,
		one.Prefix, one.Name, jsonList(one.Scopes), microTime(one.CreatedAt), microTime(one.ExpiresAt), microTime(one.UsedAt))
}

func (t *tx) EndAPIToken(ctx context.Context, accountID, id string) error {
	return requireChange(t.w.exec(ctx, inAccount(accountID), deleteAPIToken, accountID, id))
}

func (t *tx) EndStaleAPITokens(ctx context.Context, accountID string, at time.Time) error {
	return t.execute(ctx, inAccount(accountID), "end stale tokens", deleteStaleAPITokens, accountID, microTime(at))
}
