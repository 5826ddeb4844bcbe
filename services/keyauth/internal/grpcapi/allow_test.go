package grpcapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/grpcapi"
)

// A new method must say who may call it.
func TestEveryMethodIsInTheTable(t *testing.T) {
	table := grpcapi.Allow()
	methods := 0
	for _, desc := range []grpc.ServiceDesc{keyauthv1.KeyAuthService_ServiceDesc, keyauthv1.AccountService_ServiceDesc} {
		for _, m := range desc.Methods {
			require.NotEmpty(t, table["/"+desc.ServiceName+"/"+m.MethodName], m.MethodName)
			methods++
		}
		for _, m := range desc.Streams {
			require.NotEmpty(t, table["/"+desc.ServiceName+"/"+m.StreamName], m.StreamName)
			methods++
		}
	}
	require.Len(t, table, methods)
}

func TestAProxyOnlyVerifies(t *testing.T) {
	for method, roles := range grpcapi.Allow() {
		verifies := method == keyauthv1.KeyAuthService_VerifyKey_FullMethodName || method == keyauthv1.KeyAuthService_WatchKeys_FullMethodName
		if verifies {
			require.Equal(t, []string{certs.Proxy}, roles)
		} else {
			require.NotContains(t, roles, certs.Proxy, method)
		}
	}
}
