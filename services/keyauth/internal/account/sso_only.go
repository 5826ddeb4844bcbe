package account

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// allowsPassword reports whether a user may sign in with a password. If sign-on is
// required, only the owners of the operator's account may: they need a way in while an
// issuer is down or misconfigured.
func (s *Service) allowsPassword(a access.Account, u access.User) bool {
	return !s.ssoOnly || a.Operator && u.Role == access.Owner
}

// allowsTokens reports whether the API tokens of a user work: those of a user who can sign
// in neither with a password nor with an issuer do not.
func (s *Service) allowsTokens(ctx context.Context, a access.Account, u access.User) (bool, error) {
	if s.allowsPassword(a, u) {
		return true, nil
	}
	return s.store.HasIdentity(ctx, u.AccountID, u.ID)
}

// checkPasswordUsers returns REGISTRATION_CLOSED if no users with a password may be added.
func (s *Service) checkPasswordUsers() error {
	if s.ssoOnly {
		return registrationError("this installation uses single sign-on; users join with their first sign-on")
	}
	return nil
}
