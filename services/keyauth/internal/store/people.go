package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const userColumns = `u.id, u.account_id, u.email, u.role, u.password_hash, u.created_us`

func userFields(u *account.User) []any {
	return []any{&u.ID, &u.AccountID, &u.Email, &u.Role, &u.PasswordHash, (*stamp)(&u.CreatedAt)}
}

const (
	selectUser        = `SELECT ` + userColumns + ` FROM users u WHERE u.account_id = $1 AND u.id = $2`
	selectUserByEmail = `SELECT ` + userColumns + ` FROM users u WHERE u.email = $1`
)

func (r rows) User(ctx context.Context, accountID, id string) (account.User, error) {
	var u account.User
	err := r.q.QueryRowContext(ctx, selectUser, accountID, id).Scan(userFields(&u)...)
	return u, none(err)
}

func (r rows) UserByEmail(ctx context.Context, email string) (account.User, error) {
	var u account.User
	err := r.q.QueryRowContext(ctx, selectUserByEmail, email).Scan(userFields(&u)...)
	return u, none(err)
}

const upsertUser = `
INSERT INTO users (id, account_id, email, role, password_hash, created_us) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO UPDATE SET email = excluded.email, role = excluded.role, password_hash = excluded.password_hash`

func (t *tx) SaveUser(ctx context.Context, u account.User) error {
	_, err := t.q.ExecContext(ctx, upsertUser, u.ID, u.AccountID, u.Email, string(u.Role), u.PasswordHash, stamp(u.CreatedAt))
	if sqldb.IsUnique(err) {
		return account.ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("save user: %w", err)
	}
	return nil
}

const sessionColumns = `s.id, s.account_id, s.user_id, s.hash, s.created_us, s.seen_us, s.client`

func sessionFields(s *account.Session) []any {
	return []any{&s.ID, &s.AccountID, &s.UserID, &s.Hash, (*stamp)(&s.CreatedAt), (*stamp)(&s.SeenAt), &s.Client}
}

const (
	selectSession = `SELECT ` + accountColumns + `, ` + userColumns + `, ` + sessionColumns + `
FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1`
	selectSessions = `SELECT ` + sessionColumns + ` FROM sessions s
WHERE s.account_id = $1 AND s.user_id = $2 ORDER BY s.created_us DESC, s.id DESC`
)

func (r rows) Session(ctx context.Context, hash []byte) (account.Identity, error) {
	var id account.Identity
	into := append(accountFields(&id.Account), userFields(&id.User)...)
	into = append(into, sessionFields(&id.Session)...)
	return id, none(r.q.QueryRowContext(ctx, selectSession, hash).Scan(into...))
}

func (r rows) Sessions(ctx context.Context, accountID, userID string) ([]account.Session, error) {
	found, err := r.q.QueryContext(ctx, selectSessions, accountID, userID)
	return collect(found, err, func(row scanner) (s account.Session, err error) {
		err = row.Scan(sessionFields(&s)...)
		return s, err
	})
}

const (
	upsertSession = `
INSERT INTO sessions (id, account_id, user_id, hash, created_us, seen_us, client) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO UPDATE SET seen_us = excluded.seen_us`
	deleteSession       = `DELETE FROM sessions WHERE account_id = $1 AND user_id = $2 AND id = $3`
	deleteStaleSessions = `DELETE FROM sessions WHERE seen_us < $1 OR created_us < $2`
)

func (t *tx) SaveSession(ctx context.Context, s account.Session) error {
	_, err := t.q.ExecContext(ctx, upsertSession, s.ID, s.AccountID, s.UserID, s.Hash,
		stamp(s.CreatedAt), stamp(s.SeenAt), s.Client)
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	return nil
}

func (t *tx) EndSession(ctx context.Context, accountID, userID, id string) error {
	return one(t.q.ExecContext(ctx, deleteSession, accountID, userID, id))
}

func (t *tx) EndStaleSessions(ctx context.Context, seen, made time.Time) error {
	_, err := t.q.ExecContext(ctx, deleteStaleSessions, stamp(seen), stamp(made))
	return err
}

const (
	selectInvite = `SELECT hash, account_id, role, created_us, expires_us FROM invites WHERE hash = $1`
	insertInvite = `INSERT INTO invites (hash, account_id, role, created_us, expires_us) VALUES ($1, $2, $3, $4, $5)`
	deleteInvite = `DELETE FROM invites WHERE hash = $1`
)

func (r rows) Invite(ctx context.Context, hash []byte) (account.Invite, error) {
	var i account.Invite
	var accountID sql.NullString
	err := r.q.QueryRowContext(ctx, selectInvite, hash).Scan(&i.Hash, &accountID, &i.Role,
		(*stamp)(&i.CreatedAt), (*stamp)(&i.ExpiresAt))
	i.AccountID = accountID.String
	return i, none(err)
}

func (t *tx) SaveInvite(ctx context.Context, i account.Invite) error {
	accountID := sql.NullString{String: i.AccountID, Valid: i.AccountID != ""}
	_, err := t.q.ExecContext(ctx, insertInvite, i.Hash, accountID, string(i.Role), stamp(i.CreatedAt), stamp(i.ExpiresAt))
	return err
}

func (t *tx) SpendInvite(ctx context.Context, hash []byte) error {
	return one(t.q.ExecContext(ctx, deleteInvite, hash))
}
