package web

import (
	"context"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// installationTimeout limits how long a page waits for the state of the installation.
const installationTimeout = time.Second

// readInstallation returns the state of the installation. If keyauth does not return it,
// the pages show neither a hint nor a closed registration: keyauth checks every form.
func (s *server) readInstallation(ctx context.Context) *keyauthv1.GetInstallationResponse {
	ctx, cancel := context.WithTimeout(ctx, installationTimeout)
	defer cancel()
	state, err := s.Accounts.GetInstallation(ctx, &keyauthv1.GetInstallationRequest{})
	if err != nil {
		s.Log.Debug("cannot read the state of the installation", "error", err)
		return &keyauthv1.GetInstallationResponse{RegistrationOpen: true}
	}
	return state
}
