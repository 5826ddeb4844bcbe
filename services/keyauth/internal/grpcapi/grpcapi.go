// Package grpcapi serves the account domain over gRPC: KeyAuthService for proxies,
// AccountService for the dashboard and the operator. It translates between protobuf
// and domain types. AllowedRoles lists which services may call each method. The
// account package checks the permissions of users.
//
// Methods convert the result even if the domain returns an error: gRPC sends no
// response with an error.
package grpcapi

import (
	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// Register adds both services to r.
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
