package store

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
)

const (
	selectHead    = `SELECT version FROM installation`
	selectChanges = `SELECT version, account_id, key_id FROM changes WHERE version > $1 ORDER BY version LIMIT $2`
)

func (r rows) Head(ctx context.Context) (int64, error) {
	var version int64
	err := queryRow(ctx, r.q, scope{}, selectHead, nil, &version)
	return version, err
}

func (r rows) Changes(ctx context.Context, after int64, limit int) ([]keyring.Change, error) {
	return queryAll(ctx, r.q, acrossWatch, selectChanges, []any{after, limit}, func(c *keyring.Change) []any {
		return []any{&c.Version, &c.AccountID, &c.KeyID}
	})
}

const (
	nextVersion  = `UPDATE installation SET version = version + 1 RETURNING version`
	insertChange = `INSERT INTO changes (version, account_id, key_id) VALUES ($1, $2, $3)`
	pruneChanges = `DELETE FROM changes WHERE version <= (SELECT version FROM installation) - $1`
)

// appendChange appends to the change log. It runs in the same transaction as the change.
func (t *tx) appendChange(ctx context.Context, accountID, keyID string) error {
	var version int64
	if err := queryRow(ctx, t.q, inAccount(accountID), nextVersion, nil, &version); err != nil {
		return fmt.Errorf("get next version: %w", err)
	}
	return t.execute(ctx, inAccount(accountID), "append to change log", insertChange, version, accountID, keyID)
}

func (t *tx) PruneChanges(ctx context.Context, keep int64) error {
	return t.execute(ctx, acrossWatch, "prune change log", pruneChanges, keep)
}

const selectEvents = `SELECT account_id, version, at_us, user_id, email, action, subject, before_json, after_json
FROM audit WHERE account_id = $1 AND version < $2 AND at_us >= $4 AND at_us < $5
AND (CAST($6 AS TEXT) = '' OR action = $6 OR action LIKE $7 ESCAPE '\')
AND (CAST($8 AS TEXT) = '' OR LOWER(email) LIKE $8 ESCAPE '\')
AND (CAST($9 AS TEXT) = '' OR subject = $9)
ORDER BY version DESC LIMIT $3`

func eventFields(e *audit.Event) []any {
	return []any{&e.AccountID, &e.Version, (*microTime)(&e.At), &e.UserID, &e.Email, &e.Action, &e.Subject, &e.Before, &e.After}
}

func (r rows) Events(ctx context.Context, accountID string, f audit.Filter, before int64, limit int) ([]audit.Event, error) {
	from, to, email := int64(math.MinInt64), int64(math.MaxInt64), ""
	if !f.From.IsZero() {
		from = f.From.UnixMicro()
	}
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	if f.Email != "" {
		email = "%" + escapeLike(strings.ToLower(f.Email)) + "%"
	}
	args := []any{accountID, before, limit, from, to, f.Action, escapeLike(f.Action) + ".%", email, f.Subject}
	return queryAll(ctx, r.q, inAccount(accountID), selectEvents, args, eventFields)
}

// escapeLike makes a text match only itself in a pattern of LIKE.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// insertEvent gives the event the next version of the account. Writers run one after the other, so no version is used twice.
const insertEvent = `
INSERT INTO audit (account_id, version, at_us, user_id, email, action, subject, before_json, after_json)
SELECT CAST($1 AS TEXT), COALESCE(MAX(version), 0) + 1, CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT),
    CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT)
FROM audit WHERE account_id = $1`

func (t *tx) SaveEvent(ctx context.Context, e audit.Event) error {
	return t.execute(ctx, inAccount(e.AccountID), "append to audit log", insertEvent, e.AccountID, microTime(e.At), e.UserID,
		e.Email, e.Action, e.Subject, e.Before, e.After)
}
