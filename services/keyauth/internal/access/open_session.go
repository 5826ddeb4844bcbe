package access

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// OpenSession creates a session with the client and the issuer of one. The session is as old
// as one, or new if one has no time of creation.
func OpenSession(ctx context.Context, tx SessionWriter, a Account, u User, one Session) (SignIn, error) {
	token, at := NewToken(), Now()
	one.ID, one.AccountID, one.UserID, one.Hash = NewID(), a.ID, u.ID, HashToken(token)
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
