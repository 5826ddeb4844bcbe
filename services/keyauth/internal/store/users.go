package store

import (
	"context"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

const userColumns = `u.id, u.account_id, u.email, u.role, u.password_hash, u.created_us`

func userFields(u *access.User) []any {
	return []any{&u.ID, &u.AccountID, &u.Email, &u.Role, &u.PasswordHash, (*microTime)(&u.CreatedAt)}
}

const (
	selectUser        = `SELECT ` + userColumns + ` FROM users u WHERE u.account_id = $1 AND u.id = $2`
	selectUserByEmail = `SELECT ` + userColumns + ` FROM users u WHERE u.email = $1`
	selectUsers       = `SELECT ` + userColumns + ` FROM users u WHERE u.account_id = $1 ORDER BY u.created_us, u.id`
)

func (r rows) User(ctx context.Context, accountID, id string) (access.User, error) {
	var u access.User
	err := queryRow(ctx, r.q, inAccount(accountID), selectUser, []any{accountID, id}, userFields(&u)...)
	return u, err
}

func (r rows) UserByEmail(ctx context.Context, email string) (access.User, error) {
	var u access.User
	err := queryRow(ctx, r.q, acrossEmail, selectUserByEmail, []any{email}, userFields(&u)...)
	return u, err
}

func (r rows) Users(ctx context.Context, accountID string) ([]access.User, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectUsers, []any{accountID}, userFields)
}

const (
	upsertUser = `
INSERT INTO users (id, account_id, email, role, password_hash, created_us) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO UPDATE SET email = excluded.email, role = excluded.role, password_hash = excluded.password_hash`
	deleteUser = `DELETE FROM users WHERE account_id = $1 AND id = $2`
)

func (t *tx) SaveUser(ctx context.Context, u access.User) error {
	_, err := t.w.exec(ctx, inAccount(u.AccountID), upsertUser, u.ID, u.AccountID, u.Email, string(u.Role), u.PasswordHash,
		microTime(u.CreatedAt))
	if sqldb.IsUniqueViolation(err) {
		return access.ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("save user: %w", err)
	}
	return nil
}

func (t *tx) RemoveUser(ctx context.Context, accountID, id string) error {
	if err := t.EndSessions(ctx, accountID, id, ""); err != nil {
		return err
	}
	if err := t.DeleteReset(ctx, accountID, id); err != nil {
		return err
	}
	if err := t.execute(ctx, inAccount(accountID), "delete tokens", deleteUserAPITokens, accountID, id); err != nil {
		return err
	}
	if err := t.execute(ctx, inAccount(accountID), "delete identities", deleteIdentities, accountID, id); err != nil {
		return err
	}
	return requireChange(t.w.exec(ctx, inAccount(accountID), deleteUser, accountID, id))
}

const sessionColumns = `s.id, s.account_id, s.user_id, s.hash, s.created_us, s.seen_us, s.client, s.issuer`

func sessionFields(s *access.Session) []any {
	return []any{&s.ID, &s.AccountID, &s.UserID, &s.Hash, (*microTime)(&s.CreatedAt), (*microTime)(&s.SeenAt), &s.Client, &s.Issuer}
}

const (
	selectSession = `SELECT ` + accountColumns + `, ` + userColumns + `, ` + sessionColumns + `
FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1`
	selectSessions = `SELECT ` + sessionColumns + ` FROM sessions s
WHERE s.account_id = $1 AND ($2 = '' OR s.user_id = $2) ORDER BY s.created_us DESC, s.id DESC`
)

func (r rows) Session(ctx context.Context, hash []byte) (access.Identity, error) {
	var id access.Identity
	into := append(accountFields(&id.Account), userFields(&id.User)...)
	into = append(into, sessionFields(&id.Session)...)
	err := queryRow(ctx, r.q, acrossSession, selectSession, []any{hash}, into...)
	return id, err
}

func (r rows) Sessions(ctx context.Context, accountID, userID string) ([]access.Session, error) {
	return queryAll(ctx, r.q, inAccount(accountID), selectSessions, []any{accountID, userID}, sessionFields)
}

const (
	upsertSession = `
INSERT INTO sessions (id, account_id, user_id, hash, created_us, seen_us, client, issuer) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (id) DO UPDATE SET seen_us = excluded.seen_us`
	deleteSession       = `DELETE FROM sessions WHERE account_id = $1 AND ($2 = '' OR user_id = $2) AND id = $3`
	deleteSessions      = `DELETE FROM sessions WHERE account_id = $1 AND user_id = $2 AND id <> $3`
	deleteStaleSessions = `DELETE FROM sessions WHERE seen_us < $1 OR created_us < $2`
)

func (t *tx) SaveSession(ctx context.Context, s access.Session) error {
	return t.execute(ctx, inAccount(s.AccountID), "save session", upsertSession, s.ID, s.AccountID, s.UserID, s.Hash,
		microTime(s.CreatedAt), microTime(s.SeenAt), s.Client, s.Issuer)
}

func (t *tx) EndSession(ctx context.Context, accountID, userID, id string) error {
	return requireChange(t.w.exec(ctx, inAccount(accountID), deleteSession, accountID, userID, id))
}

func (t *tx) EndSessions(ctx context.Context, accountID, userID, except string) error {
	return t.execute(ctx, inAccount(accountID), "end sessions", deleteSessions, accountID, userID, except)
}

func (t *tx) EndStaleSessions(ctx context.Context, seenBefore, createdBefore time.Time) error {
	return t.execute(ctx, acrossSession, "end stale sessions", deleteStaleSessions, microTime(seenBefore), microTime(createdBefore))
}
