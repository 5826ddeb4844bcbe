package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const (
	// sessionMaxIdle is how long a session may be unused.
	sessionMaxIdle = 7 * 24 * time.Hour
	// sessionMaxAge is how old a session may become.
	sessionMaxAge = 30 * 24 * time.Hour
	// touchInterval limits how often a read updates the last-used time.
	touchInterval = time.Hour
	// signOnMaxAge is how old a session of a sign-on may become. The groups of the person
	// are read only at the sign-on, so a lost group takes effect within this time.
	signOnMaxAge = 24 * time.Hour
	// maxSessions limits the sessions of a user. A new session ends the oldest one.
	maxSessions = 100
)

// Session is a signed-in browser or client.
type Session struct {
	ID        string
	AccountID string
	UserID    string
	// Hash is the hash of the token. The token itself is not stored.
	Hash      []byte
	CreatedAt time.Time
	SeenAt    time.Time
	Client    string
	// Issuer is the OpenID Connect issuer of the sign-on; empty for a password.
	Issuer string
}

// ExpiresAt returns when the session expires if it is not used again.
func (s Session) ExpiresAt() time.Time {
	idle, oldest := s.SeenAt.Add(sessionMaxIdle), s.CreatedAt.Add(sessionMaxAge)
	if s.Issuer != "" {
		oldest = s.CreatedAt.Add(signOnMaxAge)
	}
	if idle.Before(oldest) {
		return idle
	}
	return oldest
}

// renewed returns what a session inherits from this one. A session of a sign-on keeps its
// age, because the groups of the person were not read again.
func (s Session) renewed() Session {
	if s.Issuer == "" {
		return Session{Client: s.Client}
	}
	return Session{Client: s.Client, Issuer: s.Issuer, CreatedAt: s.CreatedAt}
}

// SessionReader reads sessions.
type SessionReader interface {
	// Session finds a session by the hash of its token.
	Session(ctx context.Context, hash []byte) (Identity, error)
	// Sessions lists the sessions of a user, or of the whole account if userID is empty, newest first.
	Sessions(ctx context.Context, accountID, userID string) ([]Session, error)
}

// SessionWriter reads and changes sessions.
type SessionWriter interface {
	SessionReader
	SaveSession(ctx context.Context, s Session) error
	// EndSession returns ErrNoRow if the user has no such session. An empty userID
	// matches every user of the account.
	EndSession(ctx context.Context, accountID, userID, id string) error
	// EndSessions ends all sessions of a user. If except is set, the session with this id is not ended.
	EndSessions(ctx context.Context, accountID, userID, except string) error
	// EndStaleSessions ends all sessions that were last used before seenBefore or created before createdBefore.
	EndStaleSessions(ctx context.Context, seenBefore, createdBefore time.Time) error
}

// Identity is a session with its account and user.
type Identity struct {
	Account Account
	User    User
	Session Session
}

// SignIn is a new session with its token. The token is not stored anywhere.
type SignIn struct {
	Identity Identity
	Token    string
}

// Session returns the identity of a session token. Error: SESSION_REQUIRED if the
// session is unknown or has ended.
func (s *Service) Session(ctx context.Context, token string) (Identity, error) {
	id, err := s.store.Session(ctx, hashToken(token))
	if err != nil {
		return Identity{}, replaceNoRow(err, sessionRequiredError())
	}
	at := now()
	if !s.isValidSession(id, at) {
		return Identity{}, sessionRequiredError()
	}
	if at.Sub(id.Session.SeenAt) >= touchInterval {
		id.Session.SeenAt = at
		s.touchSession(ctx, id.Session)
	}
	return id, nil
}

// isValidSession reports whether the session has not expired and its user may still sign in
// in the way that opened it.
func (s *Service) isValidSession(id Identity, at time.Time) bool {
	return at.Before(id.Session.ExpiresAt()) && (id.Session.Issuer != "" || s.allowsPassword(id.Account, id.User))
}

// touchSession saves the last-used time. It ignores errors: the session is still
// valid, and the next call tries again. It first checks that the session still exists,
// because SaveSession would create an ended session again.
func (s *Service) touchSession(ctx context.Context, seen Session) {
	_ = s.store.Write(ctx, func(tx Tx) error {
		if _, err := tx.Session(ctx, seen.Hash); err != nil {
			return err
		}
		return tx.SaveSession(ctx, seen)
	})
}

// Sessions lists the actor's own sessions, newest first. The operator's command
// line gets all sessions of the account.
func (s *Service) Sessions(ctx context.Context, actor Actor) ([]Session, error) {
	if _, err := authorize(ctx, s.store, actor, Viewer); err != nil {
		return nil, err
	}
	all, err := s.store.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return nil, wrapStoreError(err)
	}
	at := now()
	return slices.DeleteFunc(all, func(one Session) bool { return !at.Before(one.ExpiresAt()) }), nil
}

// EndSession ends one of the actor's own sessions. The operator's command line can
// end any session of the account.
func (s *Service) EndSession(ctx context.Context, actor Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, Viewer); err != nil {
			return err
		}
		one, err := findSession(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := tx.EndSession(ctx, one.AccountID, one.UserID, one.ID); err != nil {
			return wrapLookupError(err, "session")
		}
		return recordEvent(ctx, tx, actor, "session.end", id, one.auditFields(), nil)
	})
}

// findSession finds a session that the actor may end. EndSession describes which ones.
func findSession(ctx context.Context, rows SessionReader, actor Actor, id string) (Session, error) {
	all, err := rows.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return Session{}, err
	}
	i := slices.IndexFunc(all, func(one Session) bool { return one.ID == id })
	if i < 0 {
		return Session{}, notFoundError("session")
	}
	return all[i], nil
}

// EndSessions ends all sessions of the user with the given id, or of the actor if id is
// empty. If except is set, the session with this id is not ended. Owners may end the
// sessions of other users in the account.
func (s *Service) EndSessions(ctx context.Context, actor Actor, id, except string) error {
	if except != "" && !isID(except) {
		return notFoundError("session")
	}
	need := Owner
	if id == "" || id == actor.UserID {
		id, need = actor.UserID, Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := findUser(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		all, err := tx.Sessions(ctx, u.AccountID, u.ID)
		if err != nil {
			return err
		}
		remaining := 0
		if slices.ContainsFunc(all, func(one Session) bool { return one.ID == except }) {
			remaining = 1
		}
		if len(all) == remaining {
			return nil
		}
		if err := tx.EndSessions(ctx, u.AccountID, u.ID, except); err != nil {
			return err
		}
		return recordEvent(ctx, tx, actor, "sessions.end", u.ID, audit.Fields{"sessions": len(all)}, audit.Fields{"sessions": remaining})
	})
}

// Logout ends the session of a token. It returns nil if the session has already
// ended.
func (s *Service) Logout(ctx context.Context, token string) error {
	return s.write(ctx, func(tx Tx) error {
		id, err := tx.Session(ctx, hashToken(token))
		if errors.Is(err, ErrNoRow) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.EndSession(ctx, id.Account.ID, id.User.ID, id.Session.ID)
	})
}
