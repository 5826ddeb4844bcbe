package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/signalbox/signalbox/pkg/apperr"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// tokenLen is the number of random bytes in a token.
const tokenLen = 32

// signIn creates a session of a password. It runs in the transaction that created or
// checked the user.
func signIn(ctx context.Context, tx SessionWriter, a Account, u User, client string) (SignIn, error) {
	return openSession(ctx, tx, a, u, Session{Client: client})
}

// openSession creates a session with the client and the issuer of one. The session is as old
// as one, or new if one has no time of creation.
func openSession(ctx context.Context, tx SessionWriter, a Account, u User, one Session) (SignIn, error) {
	token, at := newToken(), now()
	one.ID, one.AccountID, one.UserID, one.Hash = newID(), a.ID, u.ID, hashToken(token)
	one.SeenAt, one.Client = at, setting.SanitizeClient(one.Client)
	if one.CreatedAt.IsZero() {
		one.CreatedAt = at
	}
	if err := tx.EndStaleSessions(ctx, at.Add(-sessionMaxIdle), at.Add(-sessionMaxAge)); err != nil {
		return SignIn{}, err
	}
	if err := evictOldestSessions(ctx, tx, u); err != nil {
		return SignIn{}, err
	}
	return SignIn{Identity: Identity{Account: a, User: u, Session: one}, Token: token}, tx.SaveSession(ctx, one)
}

func evictOldestSessions(ctx context.Context, tx SessionWriter, u User) error {
	all, err := tx.Sessions(ctx, u.AccountID, u.ID)
	if err != nil {
		return err
	}
	for len(all) >= maxSessions {
		if err := tx.EndSession(ctx, u.AccountID, u.ID, all[len(all)-1].ID); err != nil {
			return err
		}
		all = all[:len(all)-1]
	}
	return nil
}

func newToken() string {
	b := make([]byte, tokenLen)
	_, _ = rand.Read(b) // never returns an error: it crashes the process instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// hashToken uses no salt, because a token has 256 random bits.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func sessionRequiredError() error {
	return apperr.New(apperr.SessionRequired, "sign in to continue")
}
