// Package grpcapi is the gRPC face of the domain: KeyAuthService for proxies,
// AccountService for the dashboard and operators. It translates and nothing
// more: who may do what is decided in the domain, and errors travel as they
// come. The service's own package registers it.
package grpcapi

import (
	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// Register makes the server answer for the domain.
func Register(r grpc.ServiceRegistrar, domain *account.Service) {
	keyauthv1.RegisterKeyAuthServiceServer(r, &keyServer{domain: domain})
	keyauthv1.RegisterAccountServiceServer(r, &accountServer{domain: domain})
}

type keyServer struct {
	keyauthv1.UnimplementedKeyAuthServiceServer
	domain *account.Service
}

type accountServer struct {
	keyauthv1.UnimplementedAccountServiceServer
	domain *account.Service
}
