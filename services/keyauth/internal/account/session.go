package account

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// sessionIdle and sessionMost end a session that is not used, and any.
	sessionIdle = 7 * 24 * time.Hour
	sessionMost = 30 * 24 * time.Hour
	// seenEvery keeps reading from becoming writing.
	seenEvery = time.Hour
	// maxSessions is how many a user has; the oldest make room.
	maxSessions = 100
)

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

// Sessions lists the actor's own, newest first; for the command line all of
// the account.
func (s *Service) Sessions(ctx context.Context, actor Actor) ([]Session, error) {
	if _, err := authorize(ctx, s.store, actor, Viewer); err != nil {
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

// EndSession ends one of the actor's own; for the command line any of the
// account.
func (s *Service) EndSession(ctx context.Context, actor Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, Viewer); err != nil {
			return err
		}
		one, err := sessionOf(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := tx.EndSession(ctx, one.AccountID, one.UserID, one.ID); err != nil {
			return found(err, "session")
		}
		return note(ctx, tx, actor, "session.end", id, one.members(), nil)
	})
}

// sessionOf finds one of the actor's own; for the command line any of the
// account.
func sessionOf(ctx context.Context, rows Rows, actor Actor, id string) (Session, error) {
	all, err := rows.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return Session{}, err
	}
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	return Session{}, notFound("session")
}

// EndSessions ends all sessions of a person but one, if one is named: the
// actor's own when id is empty or the actor's, else, for owners, another's of
// the account. To end none changes nothing.
func (s *Service) EndSessions(ctx context.Context, actor Actor, id, except string) error {
	if except != "" && !isID(except) {
		return notFound("session")
	}
	need := Owner
	if id == "" || id == actor.UserID {
		id, need = actor.UserID, Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := userOf(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		all, err := tx.Sessions(ctx, u.AccountID, u.ID)
		if err != nil {
			return err
		}
		kept := 0
		if slices.ContainsFunc(all, func(one Session) bool { return one.ID == except }) {
			kept = 1
		}
		if len(all) == kept {
			return nil
		}
		if err := tx.EndSessions(ctx, u.AccountID, u.ID, except); err != nil {
			return err
		}
		return note(ctx, tx, actor, "sessions.end", u.ID, members{"sessions": len(all)}, members{"sessions": kept})
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
