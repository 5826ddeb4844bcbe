package grpcapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/grpcapi"
)

// Every method must state the roles that may call it.
func TestEveryMethodIsInTheTable(t *testing.T) {
	table := grpcapi.Allow()
	methods := 0
	for _, desc := range []grpc.ServiceDesc{routerv1.RouterService_ServiceDesc, routerv1.PolicyService_ServiceDesc} {
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
