package account

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// ChangePassword replaces the actor's own password and ends the actor's other
// sessions. Errors: INVALID_REQUEST for a present password that is wrong,
// TOO_MANY_ATTEMPTS.
func (s *Service) ChangePassword(ctx context.Context, actor Actor, sessionID, current, password string) error {
	u, err := userOf(ctx, s.store, actor)
	if err != nil {
		return err
	}
	if sessionID != "" && !isID(sessionID) {
		return notFound("session")
	}
	if err := checkPassword(password); err != nil {
		return err
	}
	// By the user and not by the e-mail, so that guesses of others at the
	// sign-in do not keep somebody who is signed in from changing it.
	return s.throttle.guess(u.ID, "", func() error {
		if err := s.checkCurrent(ctx, u, current); err != nil {
			return err
		}
		hash, err := s.hasher.hash(ctx, password)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) error {
			still, err := userOf(ctx, tx, actor)
			if err != nil {
				return err
			}
			if still.PasswordHash != u.PasswordHash {
				return wrongCurrent()
			}
			if err := setPassword(ctx, tx, still, hash, sessionID); err != nil {
				return err
			}
			return note(ctx, tx, actor, "password.change", u.ID, nil, nil)
		})
	})
}

func (s *Service) checkCurrent(ctx context.Context, u User, current string) error {
	if len(current) > maxPassword || u.PasswordHash == "" {
		return wrongCurrent()
	}
	ok, err := s.hasher.matches(ctx, u.PasswordHash, current)
	if err == nil && !ok {
		return wrongCurrent()
	}
	return err
}

func wrongCurrent() *apperr.Error { return invalid("current", "the present password is wrong") }

// setPassword also ends what the old one has opened, but one session if one
// is named.
func setPassword(ctx context.Context, tx Tx, u User, hash, except string) error {
	u.PasswordHash = hash
	if err := tx.SaveUser(ctx, u); err != nil {
		return err
	}
	if err := tx.DropReset(ctx, u.AccountID, u.ID); err != nil {
		return err
	}
	return tx.EndSessions(ctx, u.AccountID, u.ID, except)
}
