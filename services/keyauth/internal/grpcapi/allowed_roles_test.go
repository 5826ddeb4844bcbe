package grpcapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/certs"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/grpcapi"
)

// A new method must declare its allowed roles.
func TestEveryMethodIsInTheTable(t *testing.T) {
	table := grpcapi.AllowedRoles()
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
	for method, roles := range grpcapi.AllowedRoles() {
		verifies := method == keyauthv1.KeyAuthService_VerifyKey_FullMethodName || method == keyauthv1.KeyAuthService_WatchKeys_FullMethodName
		if verifies {
			require.Equal(t, []string{certs.Proxy}, roles)
		} else {
			require.NotContains(t, roles, certs.Proxy, method)
		}
	}
}

// Methods that affect all accounts need the operator's certificate, and reports
// come from the dashboard.
func TestExclusiveRoles(t *testing.T) {
	table := grpcapi.AllowedRoles()
	for _, method := range []string{
		keyauthv1.AccountService_Bootstrap_FullMethodName, keyauthv1.AccountService_ResetPassword_FullMethodName,
	} {
		require.Equal(t, []string{certs.Operator}, table[method], method)
	}
	for _, method := range []string{
		keyauthv1.AccountService_ReportUse_FullMethodName, keyauthv1.AccountService_ReportSpend_FullMethodName,
	} {
		require.Equal(t, []string{certs.Dashboard}, table[method], method)
	}
}

func TestPeopleManageWebhooks(t *testing.T) {
	table := grpcapi.AllowedRoles()
	for _, method := range []string{
		keyauthv1.AccountService_RotateWebhookSecret_FullMethodName, keyauthv1.AccountService_TestWebhook_FullMethodName,
	} {
		require.Equal(t, []string{certs.Dashboard, certs.Operator}, table[method], method)
	}
}
