package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
)

// updateSignOnUser sets the role and the e-mail address that the issuer gives. The issuer
// decides, so even the last owner of an account can lose the role. The only exception is
// the user that isBreakGlass describes, who stays as it is.
func updateSignOnUser(ctx context.Context, tx Tx, a access.Account, u access.User, req SignOnRequest) (access.User, error) {
	keep, err := isBreakGlass(ctx, tx, a, u)
	if err != nil {
		return access.User{}, err
	}
	if keep {
		err = recordKeptRole(ctx, tx, u, req)
	} else {
		u, err = adoptSignOn(ctx, tx, u, req)
	}
	if err != nil || req.Role != "" {
		return u, err
	}
	if err := expelUser(ctx, tx, u, keep); err != nil {
		return access.User{}, err
	}
	return access.User{}, noRoleError()
}

// adoptSignOn saves the role and the e-mail address of the request, if they differ.
func adoptSignOn(ctx context.Context, tx Tx, u access.User, req SignOnRequest) (access.User, error) {
	before, wanted := u, cmp.Or(req.Role, access.Viewer)
	if err := loseRole(ctx, tx, u, wanted); err != nil {
		return access.User{}, err
	}
	u.Role = wanted
	if err := adoptEmail(ctx, tx, &u, req.Email); err != nil {
		return access.User{}, err
	}
	if u == before {
		return u, nil
	}
	if err := tx.SaveUser(ctx, u); err != nil {
		return access.User{}, err
	}
	actor := access.Actor{AccountID: u.AccountID, UserID: u.ID}
	return u, access.RecordEvent(ctx, tx, actor, "user.role", u.ID, before.AuditFields(), u.AuditFields())
}

// loseRole revokes what the user created with a higher role.
func loseRole(ctx context.Context, tx Tx, u access.User, role access.Role) error {
	if role.Rank() >= u.Role.Rank() {
		return nil
	}
	actor := access.Actor{AccountID: u.AccountID, UserID: u.ID}
	if err := apitoken.RevokeAll(ctx, tx, actor, u); err != nil {
		return err
	}
	return revokeInvitesBy(ctx, tx, actor, u)
}

// adoptEmail takes over a new e-mail address, unless another user has it.
func adoptEmail(ctx context.Context, rows access.UserReader, u *access.User, email string) error {
	if email == u.Email {
		return nil
	}
	_, err := rows.UserByEmail(ctx, email)
	if errors.Is(err, access.ErrNoRow) {
		u.Email = email
		return nil
	}
	return err
}

// expelUser ends all access of a user whose groups give no role, also the one with a
// password. The user stays in the account, so that a later sign-on finds it again. If
// keepPassword is set, the user can still sign in with the password.
func expelUser(ctx context.Context, tx Tx, u access.User, keepPassword bool) error {
	if err := apitoken.RevokeAll(ctx, tx, access.Actor{AccountID: u.AccountID, UserID: u.ID}, u); err != nil {
		return err
	}
	if keepPassword {
		return tx.EndSessions(ctx, u.AccountID, u.ID, "")
	}
	return setPassword(ctx, tx, u, "")
}
