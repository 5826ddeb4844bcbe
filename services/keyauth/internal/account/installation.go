package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// Installation is what visitors may know before they sign in.
type Installation struct {
	// Unclaimed is true if the operator's account has no owner yet.
	Unclaimed bool
	// RegistrationOpen is true if visitors may create accounts.
	RegistrationOpen bool
	// SSOOnly is true if only owners of the operator's account can use a password.
	SSOOnly bool
}

// Installation returns the state of the installation. It needs no actor.
func (s *Service) Installation(ctx context.Context) (Installation, error) {
	i := Installation{RegistrationOpen: s.registration == RegistrationOpen && !s.ssoOnly, SSOOnly: s.ssoOnly}
	a, err := s.store.Operator(ctx)
	switch {
	case errors.Is(err, access.ErrNoRow):
		i.Unclaimed = true
		return i, nil
	case err != nil:
		return Installation{}, access.WrapStore(err)
	}
	i.Unclaimed = a.IsUnclaimed()
	return i, nil
}
