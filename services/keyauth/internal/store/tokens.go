package store

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const (
	selectInvite       = `SELECT id, hash, account_id, new_account, role, user_id, created_us, expires_us FROM invites `
	selectInviteByHash = selectInvite + `WHERE hash = $1`
	selectOpenInvites  = selectInvite + `WHERE account_id = $1 AND expires_us > $2 ORDER BY created_us DESC, id DESC`
	insertInvite       = `INSERT INTO invites (id, hash, account_id, new_account, role, user_id, created_us, expires_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	deleteInvite       = `DELETE FROM invites WHERE account_id = $1 AND id = $2`
	deleteStaleInvites = `DELETE FROM invites WHERE account_id = $1 AND expires_us <= $2`
)

func inviteFields(i *account.Invite) []any {
	return []any{&i.ID, &i.Hash, &i.AccountID, &i.NewAccount, &i.Role, &i.UserID, (*microTime)(&i.CreatedAt), (*microTime)(&i.ExpiresAt)}
}

func (r rows) Invite(ctx context.Context, hash []byte) (account.Invite, error) {
	var i account.Invite
	err := queryRow(ctx, r.q, acrossToken, selectInviteByHash, []any{hash}, inviteFields(&i)...)
	return i, err
}

func (r rows) Invites(ctx context.Context, accountID string, at time.Time) ([]account.Invite, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectOpenInvites, []any{accountID, microTime(at)}, inviteFields)
}

func (t *tx) SaveInvite(ctx context.Context, i account.Invite) error {
	return t.execute(ctx, inAccount(i.AccountID), "save invite", insertInvite, i.ID, i.Hash, i.AccountID, i.NewAccount,
		string(i.Role), i.UserID, microTime(i.CreatedAt), microTime(i.ExpiresAt))
}

func (t *tx) EndInvite(ctx context.Context, accountID, id string) error {
	return requireChange(t.w.exec(ctx, inAccount(accountID), deleteInvite, accountID, id))
}

func (t *tx) EndStaleInvites(ctx context.Context, accountID string, at time.Time) error {
	return t.execute(ctx, inAccount(accountID), "end stale invites", deleteStaleInvites, accountID, microTime(at))
}

const (
	selectReset = `SELECT hash, account_id, user_id, expires_us FROM password_resets WHERE hash = $1`
	upsertReset = `INSERT INTO password_resets (hash, account_id, user_id, expires_us) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_us = excluded.expires_us`
	deleteReset = `DELETE FROM password_resets WHERE account_id = $1 AND user_id = $2`
)

func (r rows) Reset(ctx context.Context, hash []byte) (account.Reset, error) {
	var v account.Reset
	err := queryRow(ctx, r.q, acrossToken, selectReset, []any{hash}, &v.Hash, &v.AccountID, &v.UserID, (*microTime)(&v.ExpiresAt))
	return v, err
}

func (t *tx) SaveReset(ctx context.Context, r account.Reset) error {
	return t.execute(ctx, inAccount(r.AccountID), "save reset", upsertReset, r.Hash, r.AccountID, r.UserID, microTime(r.ExpiresAt))
}

func (t *tx) DeleteReset(ctx context.Context, accountID, userID string) error {
	return t.execute(ctx, inAccount(accountID), "delete reset", deleteReset, accountID, userID)
}
