package store

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
)

const keyColumns = `k.id, k.account_id, k.mac, k.prefix, k.name, k.scopes, k.models, k.tags, k.may_swap_model,
    k.baseline_model, k.capture, k.error_format, k.expires_us, k.requests_per_minute, k.tokens_per_minute,
    k.concurrent_requests, k.nano_usd_per_day, k.nano_usd_per_month, k.created_us, k.revoked_us, k.replaced_by, k.playground_user, k.pinned_user, k.pinned_agent`

func keyFields(k *keyring.Key) []any {
	s, l := &k.Settings, &k.Settings.Limits
	return []any{
		&k.ID, &k.AccountID, &k.MAC, &k.Prefix, &s.Name, (*jsonList)(&s.Scopes), (*jsonList)(&s.Models), (*jsonList)(&s.Tags),
		&s.MaySwapModel, &s.BaselineModel, &s.Capture, &s.ErrorFormat, (*microTime)(&s.ExpiresAt), &l.RequestsPerMinute,
		&l.TokensPerMinute, &l.ConcurrentRequests, &l.NanoUSDPerDay, &l.NanoUSDPerMonth, (*microTime)(&k.CreatedAt),
		(*microTime)(&k.RevokedAt), &k.ReplacedBy, &k.PlaygroundUser, &s.User, &s.Agent,
	}
}

// These parts of a query add the last use of a key. Verification does not need the last use.
const (
	useColumns = `, n.used_us, COALESCE(n.address, '')`
	withUse    = ` LEFT JOIN key_uses n ON n.key_id = k.id `
)

func usedKeyFields(k *keyring.Key) []any {
	return append(keyFields(k), (*microTime)(&k.LastUsedAt), &k.LastUsedFrom)
}

// A credential includes the version of the change log. One statement reads the version
// and the key, so the version belongs to exactly this state of the key.
const (
	credentialColumns = `SELECT (SELECT version FROM installation), ` + accountColumns + `, ` + keyColumns
	fromKeys          = ` FROM keys k JOIN accounts a ON a.id = k.account_id `

	selectCredentialByID  = credentialColumns + useColumns + fromKeys + withUse + `WHERE k.account_id = $1 AND k.id = $2`
	selectPlaygroundKey   = `SELECT ` + keyColumns + ` FROM keys k WHERE k.account_id = $1 AND k.playground_user = $2`
	selectCredentialByMAC = credentialColumns + fromKeys + `WHERE k.mac = $1`

	// isEnded matches keys that cannot become active again: revoked keys, and keys that were replaced and have expired.
	isEnded     = `(k.revoked_us IS NOT NULL OR k.replaced_by <> '' AND k.expires_us <= $2)`
	newestFirst = ` ORDER BY k.created_us DESC, k.id DESC`
	// isListed leaves out the keys of the playground. Users do not manage them.
	isListed  = `k.account_id = $1 AND k.playground_user = ''`
	countKeys = `SELECT COUNT(*) FROM keys k WHERE ` + isListed + ` AND NOT ` + isEnded

	selectKeys = `SELECT ` + keyColumns + useColumns + ` FROM keys k` + withUse + `
WHERE ` + isListed + ` AND (NOT ` + isEnded + ` OR k.id IN (
    SELECT k.id FROM keys k WHERE ` + isListed + ` AND ` + isEnded + newestFirst + ` LIMIT $3))` + newestFirst
)

func (r rows) Credential(ctx context.Context, accountID, keyID string) (keyring.Credential, error) {
	var c keyring.Credential
	into := append([]any{&c.Version}, accountFields(&c.Account)...)
	err := queryRow(ctx, r.q, inAccount(accountID), selectCredentialByID, []any{accountID, keyID},
		append(into, usedKeyFields(&c.Key)...)...)
	return c, err
}

func (r rows) CredentialByMAC(ctx context.Context, mac []byte) (keyring.Credential, error) {
	var c keyring.Credential
	into := append([]any{&c.Version}, accountFields(&c.Account)...)
	err := queryRow(ctx, r.q, acrossVerify, selectCredentialByMAC, []any{mac}, append(into, keyFields(&c.Key)...)...)
	return c, err
}

func (r rows) PlaygroundKey(ctx context.Context, accountID, userID string) (keyring.Key, error) {
	var k keyring.Key
	err := queryRow(ctx, r.q, inAccount(accountID), selectPlaygroundKey, []any{accountID, userID}, keyFields(&k)...)
	return k, err
}

func (r rows) CountKeys(ctx context.Context, accountID string, at time.Time) (int, error) {
	var n int
	err := queryRow(ctx, r.q, inAccount(accountID), countKeys, []any{accountID, microTime(at)}, &n)
	return n, err
}

func (r rows) Keys(ctx context.Context, accountID string, at time.Time, maxEnded int) ([]keyring.Key, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectKeys, []any{accountID, microTime(at), maxEnded}, usedKeyFields)
}

const upsertKey = `
INSERT INTO keys (id, account_id, mac, prefix, name, scopes, models, tags, may_swap_model, baseline_model, capture,
    error_format, expires_us, requests_per_minute, tokens_per_minute, concurrent_requests, nano_usd_per_day,
    nano_usd_per_month, created_us, revoked_us, replaced_by, playground_user, pinned_user, pinned_agent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
ON CONFLICT (id) DO UPDATE SET mac = excluded.mac, prefix = excluded.prefix, name = excluded.name, scopes = excluded.scopes, models = excluded.models,
    tags = excluded.tags, may_swap_model = excluded.may_swap_model, baseline_model = excluded.baseline_model,
    capture = excluded.capture, error_format = excluded.error_format, expires_us = excluded.expires_us,
    requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute,
    concurrent_requests = excluded.concurrent_requests, nano_usd_per_day = excluded.nano_usd_per_day,
    nano_usd_per_month = excluded.nano_usd_per_month, revoked_us = excluded.revoked_us,
    replaced_by = excluded.replaced_by, pinned_user = excluded.pinned_user, pinned_agent = excluded.pinned_agent`

func (t *tx) SaveKey(ctx context.Context, k keyring.Key) error {
	s, l := k.Settings, k.Settings.Limits
	err := t.execute(ctx, inAccount(k.AccountID), "save key", upsertKey, k.ID, k.AccountID, k.MAC, k.Prefix, s.Name,
		jsonList(s.Scopes), jsonList(s.Models), jsonList(s.Tags), s.MaySwapModel, s.BaselineModel, string(s.Capture),
		string(s.ErrorFormat), microTime(s.ExpiresAt), l.RequestsPerMinute, l.TokensPerMinute, l.ConcurrentRequests,
		l.NanoUSDPerDay, l.NanoUSDPerMonth, microTime(k.CreatedAt), microTime(k.RevokedAt), k.ReplacedBy, k.PlaygroundUser, s.User, s.Agent)
	if err != nil {
		return err
	}
	return t.appendChange(ctx, k.AccountID, k.ID)
}
