package account

// allowsPassword reports whether a user may sign in with a password. If sign-on is
// required, only the owners of the operator's account may: they need a way in while an
// issuer is down or misconfigured.
func (s *Service) allowsPassword(a Account, u User) bool {
	return !s.ssoOnly || a.Operator && u.Role == Owner
}

// checkPasswordUsers returns REGISTRATION_CLOSED if no users with a password may be added.
func (s *Service) checkPasswordUsers() error {
	if s.ssoOnly {
		return registrationError("this installation uses single sign-on; users join with their first sign-on")
	}
	return nil
}
