package account

import (
	"context"
	"slices"
)

// hasOperatorPassword reports whether the user is an owner of the operator's account with a
// password. Only such a user can sign in while an issuer is down and sign-on is required.
func hasOperatorPassword(a Account, u User) bool {
	return a.Operator && u.AccountID == a.ID && u.Role == Owner && u.PasswordHash != ""
}

// isBreakGlass reports whether the user is the only one that hasOperatorPassword accepts. If
// an issuer could lower this user, a wrong group could close every way into the installation.
func isBreakGlass(ctx context.Context, rows UserReader, a Account, u User) (bool, error) {
	if !hasOperatorPassword(a, u) {
		return false, nil
	}
	users, err := rows.Users(ctx, a.ID)
	other := slices.ContainsFunc(users, func(one User) bool { return one.ID != u.ID && hasOperatorPassword(a, one) })
	return err == nil && !other, err
}

// recordKeptRole records that the issuer gave a lower role that did not take effect.
func recordKeptRole(ctx context.Context, tx auditWriter, u User, req SignOnRequest) error {
	if req.Role == u.Role {
		return nil
	}
	refused := u
	refused.Role = req.Role
	after := refused.auditFields()
	after["issuer"] = req.Issuer
	return recordEvent(ctx, tx, Actor{AccountID: u.AccountID, UserID: u.ID}, "user.keep_role", u.ID, u.auditFields(), after)
}
