package grpcapi

import (
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

func toCredentials(r *routerv1.CredentialReport) []engine.Credential {
	all := make([]engine.Credential, len(r.GetCredentials()))
	for i, c := range r.GetCredentials() {
		all[i] = engine.Credential{Provider: c.GetProvider(), Name: c.GetName(), State: c.GetState()}
	}
	return all
}

func fromCredentials(all []engine.CredentialStatus) []*routerv1.CredentialStatus {
	out := make([]*routerv1.CredentialStatus, len(all))
	for i, c := range all {
		out[i] = &routerv1.CredentialStatus{Provider: c.Provider, Name: c.Name, Present: c.Present, Missing: c.Missing, Rejected: c.Rejected}
	}
	return out
}
