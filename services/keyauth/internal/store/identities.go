package store

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const (
	selectUserByIdentity = `SELECT ` + userColumns + ` FROM identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = $1 AND i.subject = $2`
	countIdentities      = `SELECT COUNT(*) FROM identities WHERE account_id = $1 AND user_id = $2`
	insertIdentity       = `INSERT INTO identities (issuer, subject, account_id, user_id) VALUES ($1, $2, $3, $4)`
	deleteIdentities     = `DELETE FROM identities WHERE account_id = $1 AND user_id = $2`
)

func (r rows) UserByIdentity(ctx context.Context, id account.ExternalIdentity) (access.User, error) {
	var u access.User
	err := queryRow(ctx, r.q, acrossEmail, selectUserByIdentity, []any{id.Issuer, id.Subject}, userFields(&u)...)
	return u, err
}

func (r rows) HasIdentity(ctx context.Context, accountID, userID string) (bool, error) {
	var n int
	err := queryRow(ctx, r.q, inAccount(accountID), countIdentities, []any{accountID, userID}, &n)
	return n > 0, err
}

func (t *tx) SaveIdentity(ctx context.Context, id account.ExternalIdentity, u access.User) error {
	return t.execute(ctx, inAccount(u.AccountID), "save identity", insertIdentity, id.Issuer, id.Subject, u.AccountID, u.ID)
}
