package web

import (
	"context"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// readInstallation returns the state of the installation. If keyauth does not return it,
// the pages show neither a hint nor a closed registration: keyauth checks every form.
func (s *server) readInstallation(ctx context.Context) *keyauthv1.GetInstallationResponse {
	ctx, cancel := context.WithTimeout(ctx, s.Timeouts.installation())
	defer cancel()
	state, err := s.Accounts.GetInstallation(ctx, &keyauthv1.GetInstallationRequest{})
	if err != nil {
		s.Log.Debug("cannot read the state of the installation", "error", err)
		return &keyauthv1.GetInstallationResponse{RegistrationOpen: true}
	}
	return state
}
