package account

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"
)

// ChangePassword replaces the actor's own password, ends all of the actor's
// sessions, revokes the actor's API tokens and returns a new session. If sessionID is set, the new session gets the
// client description of that session, and its issuer and age if a sign-on opened it.
// Errors: AUTH_FORBIDDEN if the actor may not use a password; INVALID_REQUEST if the current
// password is wrong, or if the new password is invalid or equals the current one;
// TOO_MANY_ATTEMPTS.
func (s *Service) ChangePassword(ctx context.Context, actor access.Actor, sessionID, current, password string) (access.SignIn, error) {
	u, err := access.FindUser(ctx, s.store, actor)
	if err != nil {
		return access.SignIn{}, err
	}
	if err := setting.ValidatePassword(password); err != nil {
		return access.SignIn{}, err
	}
	if password == current {
		return access.SignIn{}, setting.InvalidParam("password", "the new password must differ from the current one")
	}
	var in access.SignIn
	// Throttle by user id, not by e-mail. Otherwise failed sign-ins by an attacker
	// could prevent a signed-in user from changing the password.
	err = s.throttle.RunGuess(u.ID, "", func(signinguard.Requester) error {
		own := signinguard.Requester{Name: u.ID, Known: true}
		if err := s.verifyCurrentPassword(ctx, own, u, current); err != nil {
			return err
		}
		hash, err := s.hasher.Hash(ctx, own, password)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			in, err = s.replacePassword(ctx, tx, u, hash, sessionID)
			return err
		})
	})
	return in, err
}

// replacePassword requires that the caller has verified the current password of u.
func (s *Service) replacePassword(ctx context.Context, tx Tx, u access.User, hash, sessionID string) (access.SignIn, error) {
	actor := access.Actor{AccountID: u.AccountID, UserID: u.ID}
	latest, err := access.FindUser(ctx, tx, actor)
	if err != nil {
		return access.SignIn{}, err
	}
	a, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return access.SignIn{}, err
	}
	if latest.PasswordHash != u.PasswordHash {
		return access.SignIn{}, wrongPasswordError()
	}
	if !s.allowsPassword(a, latest) {
		return access.SignIn{}, apperr.New(apperr.AuthForbidden, "this installation uses single sign-on; your password cannot be used")
	}
	var oldSession access.Session
	if sessionID != "" {
		if oldSession, err = findSession(ctx, tx, actor, sessionID); err != nil {
			return access.SignIn{}, err
		}
	}
	if err := setPassword(ctx, tx, latest, hash); err != nil {
		return access.SignIn{}, err
	}
	if err := apitoken.RevokeAll(ctx, tx, actor, latest); err != nil {
		return access.SignIn{}, err
	}
	if err := access.RecordEvent(ctx, tx, actor, "password.change", u.ID, nil, nil); err != nil {
		return access.SignIn{}, err
	}
	return access.OpenSession(ctx, tx, a, latest, oldSession.Renewed())
}

func (s *Service) verifyCurrentPassword(ctx context.Context, r signinguard.Requester, u access.User, current string) error {
	if len(current) > setting.MaxPasswordBytes || u.PasswordHash == "" {
		return wrongPasswordError()
	}
	ok, err := s.hasher.Matches(ctx, r, u.PasswordHash, current)
	if err == nil && !ok {
		return wrongPasswordError()
	}
	return err
}

func wrongPasswordError() *apperr.Error {
	return setting.InvalidParam("current", "the current password is wrong")
}

// passwordWriter changes what a new password affects.
type passwordWriter interface {
	access.UserWriter
	ResetWriter
	access.SessionWriter
}

// setPassword saves the hash, ends all sessions of the user and deletes a pending password reset.
func setPassword(ctx context.Context, tx passwordWriter, u access.User, hash string) error {
	u.PasswordHash = hash
	if err := tx.SaveUser(ctx, u); err != nil {
		return err
	}
	if err := tx.DeleteReset(ctx, u.AccountID, u.ID); err != nil {
		return err
	}
	return tx.EndSessions(ctx, u.AccountID, u.ID, "")
}
