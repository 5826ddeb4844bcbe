package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// sessionIdle and sessionMost end a session that is not used, and any.
	sessionIdle = 7 * 24 * time.Hour
	sessionMost = 30 * 24 * time.Hour
	// seenEvery keeps reading from becoming writing.
	seenEvery = time.Hour

	tokenLen = 32
)

// User is a person of an account.
type User struct {
	ID        string
	AccountID string
	Email     string
	Role      Role
	// PasswordHash is a PHC string.
	PasswordHash string
	CreatedAt    time.Time
}

// Session is a sign-in.
type Session struct {
	ID        string
	AccountID string
	UserID    string
	// Hash is all that is kept of the token.
	Hash      []byte
	CreatedAt time.Time
	SeenAt    time.Time
	Client    string
}

// ExpiresAt is when it ends by itself, if it is not used before.
func (s Session) ExpiresAt() time.Time {
	idle, most := s.SeenAt.Add(sessionIdle), s.CreatedAt.Add(sessionMost)
	if idle.Before(most) {
		return idle
	}
	return most
}

// Identity is who a session acts for.
type Identity struct {
	Account Account
	User    User
	Session Session
}

// SignIn is a new session with its token, which is nowhere else.
type SignIn struct {
	Identity Identity
	Token    string
}

// Session resolves a token. Error: SESSION_REQUIRED for one that is unknown or
// has ended.
func (s *Service) Session(ctx context.Context, token string) (Identity, error) {
	id, err := s.store.Session(ctx, hashToken(token))
	if errors.Is(err, ErrNone) {
		return Identity{}, noSession()
	}
	if err != nil {
		return Identity{}, storeError(err)
	}
	at := now()
	if !at.Before(id.Session.ExpiresAt()) {
		return Identity{}, noSession()
	}
	if at.Sub(id.Session.SeenAt) >= seenEvery {
		id.Session.SeenAt = at
		s.touch(ctx, id.Session)
	}
	return id, nil
}

// touch may fail: the session is valid, and the next call tries again. The
// row must still be there, or a session ended meanwhile would come back.
func (s *Service) touch(ctx context.Context, seen Session) {
	_ = s.store.Write(ctx, func(tx Tx) error {
		if _, err := tx.Session(ctx, seen.Hash); err != nil {
			return err
		}
		return tx.SaveSession(ctx, seen)
	})
}

// Sessions lists the actor's own, newest first.
func (s *Service) Sessions(ctx context.Context, actor Actor) ([]Session, error) {
	if _, err := userOf(ctx, s.store, actor); err != nil {
		return nil, err
	}
	all, err := s.store.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return nil, storeError(err)
	}
	at := now()
	var live []Session
	for _, one := range all {
		if at.Before(one.ExpiresAt()) {
			live = append(live, one)
		}
	}
	return live, nil
}

// EndSession ends one of the actor's own.
func (s *Service) EndSession(ctx context.Context, actor Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := userOf(ctx, tx, actor); err != nil {
			return err
		}
		if !isID(id) {
			return notFound("session")
		}
		return found(tx.EndSession(ctx, actor.AccountID, actor.UserID, id), "session")
	})
}

// Logout ends the token's session. One that has ended is no error: what the
// caller wants is so.
func (s *Service) Logout(ctx context.Context, token string) error {
	return s.write(ctx, func(tx Tx) error {
		id, err := tx.Session(ctx, hashToken(token))
		if errors.Is(err, ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.EndSession(ctx, id.Account.ID, id.User.ID, id.Session.ID)
	})
}

// signIn opens a session within the transaction that allows it.
func signIn(ctx context.Context, tx Tx, a Account, u User, client string) (SignIn, error) {
	token, at := newToken(), now()
	one := Session{
		ID: newID(), AccountID: a.ID, UserID: u.ID, Hash: hashToken(token),
		CreatedAt: at, SeenAt: at, Client: clientText(client),
	}
	if err := tx.EndStaleSessions(ctx, at.Add(-sessionIdle), at.Add(-sessionMost)); err != nil {
		return SignIn{}, err
	}
	return SignIn{Identity: Identity{Account: a, User: u, Session: one}, Token: token}, tx.SaveSession(ctx, one)
}

func newToken() string { return base64.RawURLEncoding.EncodeToString(randomBytes(tokenLen)) }

// hashToken needs no salt: the token has 256 random bits.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func noSession() error {
	return apperr.New(apperr.SessionRequired, "sign in to go on")
}
