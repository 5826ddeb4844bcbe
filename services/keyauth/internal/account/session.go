package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

// Session returns the identity of a session token. Error: SESSION_REQUIRED if the
// session is unknown or has ended.
func (s *Service) Session(ctx context.Context, token string) (access.Identity, error) {
	id, err := s.store.Session(ctx, access.HashToken(token))
	if err != nil {
		return access.Identity{}, access.ReplaceNoRow(err, sessionRequiredError())
	}
	at := access.Now()
	if !s.isValidSession(id, at) {
		return access.Identity{}, sessionRequiredError()
	}
	if at.Sub(id.Session.SeenAt) >= access.TouchInterval {
		id.Session.SeenAt = at
		s.touchSession(ctx, id.Session)
	}
	return id, nil
}

// isValidSession reports whether the session has not expired and its user may still sign in
// in the way that opened it.
func (s *Service) isValidSession(id access.Identity, at time.Time) bool {
	return at.Before(id.Session.ExpiresAt()) && (id.Session.Issuer != "" || s.allowsPassword(id.Account, id.User))
}

// touchSession saves the last-used time. It ignores errors: the session is still
// valid, and the next call tries again. It first checks that the session still exists,
// because SaveSession would create an ended session again.
func (s *Service) touchSession(ctx context.Context, seen access.Session) {
	_ = s.store.Write(ctx, func(tx Tx) error {
		if _, err := tx.Session(ctx, seen.Hash); err != nil {
			return err
		}
		return tx.SaveSession(ctx, seen)
	})
}

// Sessions lists the actor's own sessions, newest first. The operator's command
// line gets all sessions of the account.
func (s *Service) Sessions(ctx context.Context, actor access.Actor) ([]access.Session, error) {
	if _, err := access.Authorize(ctx, s.store, actor, access.Viewer); err != nil {
		return nil, err
	}
	all, err := s.store.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return nil, access.WrapStore(err)
	}
	at := access.Now()
	return slices.DeleteFunc(all, func(one access.Session) bool { return !at.Before(one.ExpiresAt()) }), nil
}

// EndSession ends one of the actor's own sessions. The operator's command line can
// end any session of the account.
func (s *Service) EndSession(ctx context.Context, actor access.Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, access.Viewer); err != nil {
			return err
		}
		one, err := findSession(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		if err := tx.EndSession(ctx, one.AccountID, one.UserID, one.ID); err != nil {
			return access.WrapLookup(err, "session")
		}
		return access.RecordEvent(ctx, tx, actor, "session.end", id, one.AuditFields(), nil)
	})
}

// findSession finds a session that the actor may end. EndSession describes which ones.
func findSession(ctx context.Context, rows access.SessionReader, actor access.Actor, id string) (access.Session, error) {
	all, err := rows.Sessions(ctx, actor.AccountID, actor.UserID)
	if err != nil {
		return access.Session{}, err
	}
	i := slices.IndexFunc(all, func(one access.Session) bool { return one.ID == id })
	if i < 0 {
		return access.Session{}, access.NotFound("session")
	}
	return all[i], nil
}

// EndSessions ends all sessions of the user with the given id, or of the actor if id is
// empty. If except is set, the session with this id is not ended. Owners may end the
// sessions of other users in the account.
func (s *Service) EndSessions(ctx context.Context, actor access.Actor, id, except string) error {
	if except != "" && !access.IsID(except) {
		return access.NotFound("session")
	}
	need := access.Owner
	if id == "" || id == actor.UserID {
		id, need = actor.UserID, access.Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := access.FindUser(ctx, tx, access.Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		all, err := tx.Sessions(ctx, u.AccountID, u.ID)
		if err != nil {
			return err
		}
		remaining := 0
		if slices.ContainsFunc(all, func(one access.Session) bool { return one.ID == except }) {
			remaining = 1
		}
		if len(all) == remaining {
			return nil
		}
		if err := tx.EndSessions(ctx, u.AccountID, u.ID, except); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "sessions.end", u.ID, audit.Fields{"sessions": len(all)}, audit.Fields{"sessions": remaining})
	})
}

// Logout ends the session of a token. It returns nil if the session has already
// ended.
func (s *Service) Logout(ctx context.Context, token string) error {
	return s.write(ctx, func(tx Tx) error {
		id, err := tx.Session(ctx, access.HashToken(token))
		if errors.Is(err, access.ErrNoRow) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.EndSession(ctx, id.Account.ID, id.User.ID, id.Session.ID)
	})
}

func sessionRequiredError() error {
	return apperr.New(apperr.SessionRequired, "sign in to continue")
}
