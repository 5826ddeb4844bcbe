package account

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// ChangePassword replaces the actor's own password, ends all that the old one
// has opened and signs in anew, in the place of the session that asks, if one
// is named. Errors: INVALID_REQUEST for a present password that is wrong, or
// that is to be the new one as well; TOO_MANY_ATTEMPTS.
func (s *Service) ChangePassword(ctx context.Context, actor Actor, sessionID, current, password string) (SignIn, error) {
	u, err := userOf(ctx, s.store, actor)
	if err != nil {
		return SignIn{}, err
	}
	if err := checkPassword(password); err != nil {
		return SignIn{}, err
	}
	if password == current {
		return SignIn{}, invalid("password", "the new password is the present one; choose another")
	}
	var in SignIn
	// By the user and not by the e-mail, so that guesses of others at the
	// sign-in do not keep somebody who is signed in from changing it.
	err = s.throttle.guess(u.ID, "", func(lane) error {
		own := lane{name: u.ID, known: true}
		if err := s.checkCurrent(ctx, own, u, current); err != nil {
			return err
		}
		hash, err := s.hasher.hash(ctx, own, password)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			in, err = replacePassword(ctx, tx, u, hash, sessionID)
			return err
		})
	})
	return in, err
}

// replacePassword is for a user whose present password was right.
func replacePassword(ctx context.Context, tx Tx, u User, hash, sessionID string) (SignIn, error) {
	actor := Actor{AccountID: u.AccountID, UserID: u.ID}
	still, err := userOf(ctx, tx, actor)
	if err != nil {
		return SignIn{}, err
	}
	if still.PasswordHash != u.PasswordHash {
		return SignIn{}, wrongCurrent()
	}
	var asks Session
	if sessionID != "" {
		if asks, err = sessionOf(ctx, tx, actor, sessionID); err != nil {
			return SignIn{}, err
		}
	}
	if err := setPassword(ctx, tx, still, hash); err != nil {
		return SignIn{}, err
	}
	if err := note(ctx, tx, actor, "password.change", u.ID, nil, nil); err != nil {
		return SignIn{}, err
	}
	a, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return SignIn{}, err
	}
	return signIn(ctx, tx, a, still, asks.Client)
}

func (s *Service) checkCurrent(ctx context.Context, l lane, u User, current string) error {
	if len(current) > maxPassword || u.PasswordHash == "" {
		return wrongCurrent()
	}
	ok, err := s.hasher.matches(ctx, l, u.PasswordHash, current)
	if err == nil && !ok {
		return wrongCurrent()
	}
	return err
}

func wrongCurrent() *apperr.Error { return invalid("current", "the present password is wrong") }

// setPassword also ends what the old one has opened.
func setPassword(ctx context.Context, tx Tx, u User, hash string) error {
	u.PasswordHash = hash
	if err := tx.SaveUser(ctx, u); err != nil {
		return err
	}
	if err := tx.DropReset(ctx, u.AccountID, u.ID); err != nil {
		return err
	}
	return tx.EndSessions(ctx, u.AccountID, u.ID, "")
}
