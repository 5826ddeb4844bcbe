package account

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// hasOperatorPassword reports whether the user is an owner of the operator's account with a
// password. Only such a user can sign in while an issuer is down and sign-on is required.
func hasOperatorPassword(a access.Account, u access.User) bool {
	return a.Operator && u.AccountID == a.ID && u.Role == access.Owner && u.PasswordHash != ""
}

// isBreakGlass reports whether the user is the only one that hasOperatorPassword accepts. If
// an issuer could lower this user, a wrong group could close every way into the installation.
func isBreakGlass(ctx context.Context, rows access.UserReader, a access.Account, u access.User) (bool, error) {
	if !hasOperatorPassword(a, u) {
		return false, nil
	}
	users, err := rows.Users(ctx, a.ID)
	other := slices.ContainsFunc(users, func(one access.User) bool { return one.ID != u.ID && hasOperatorPassword(a, one) })
	return err == nil && !other, err
}

// recordKeptRole records that the issuer gave a lower role that did not take effect.
func recordKeptRole(ctx context.Context, tx access.EventWriter, u access.User, req SignOnRequest) error {
	if req.Role == u.Role {
		return nil
	}
	refused := u
	refused.Role = req.Role
	after := refused.AuditFields()
	after["issuer"] = req.Issuer
	return access.RecordEvent(ctx, tx, access.Actor{AccountID: u.AccountID, UserID: u.ID}, "user.keep_role", u.ID, u.AuditFields(), after)
}
