package apperr_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// failing is a real service that returns an error for every call.
type failing struct {
	healthv1.UnimplementedHealthServer
	err error
}

func (f *failing) Check(context.Context, *healthv1.HealthCheckRequest) (*healthv1.HealthCheckResponse, error) {
	return nil, f.err
}

// across returns a function that sends an error over a real connection.
func across(t *testing.T) func(error) error {
	t.Helper()
	lis, srv, f := bufconn.Listen(1<<16), grpc.NewServer(), &failing{}
	healthv1.RegisterHealthServer(srv, f)
	go func() { _ = srv.Serve(lis) }()
	t.Cleanup(srv.Stop)
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return func(err error) error {
		f.err = err
		_, got := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
		return got
	}
}

func TestEveryCodeOverGRPCAndBack(t *testing.T) {
	send := across(t)
	for _, code := range codes(t) {
		t.Run(string(code), func(t *testing.T) {
			err := send(apperr.ToGRPC(apperr.New(code, "what happened").With("param", "n").WithRetryAfter(1500 * time.Millisecond).WithCause(errSecret)))
			require.Equal(t, code.Spec().GRPC, status.Code(err))
			require.NotContains(t, err.Error(), "hunter2")
			var e *apperr.Error
			require.ErrorAs(t, apperr.FromGRPC(err), &e)
			require.Equal(t, code, e.Code)
			require.Equal(t, "what happened", e.Message)
			require.Equal(t, apperr.Details{"param": "n"}, e.Details)
			require.Equal(t, 1500*time.Millisecond, e.RetryAfter)
		})
	}
}

func TestPlainErrorOverGRPC(t *testing.T) {
	var e *apperr.Error
	require.ErrorAs(t, apperr.FromGRPC(across(t)(apperr.ToGRPC(apperr.New(apperr.NotFound, "gone")))), &e)
	require.Empty(t, e.Details)
	require.Zero(t, e.RetryAfter)
	require.False(t, e.NoRetry)
}

func TestFinalOverGRPC(t *testing.T) {
	var e *apperr.Error
	require.ErrorAs(t, apperr.FromGRPC(across(t)(apperr.ToGRPC(apperr.New(apperr.ProviderTimeout, "m").WithoutRetry()))), &e)
	require.True(t, e.NoRetry)
}

func TestDetailsStayExact(t *testing.T) {
	give := apperr.New(apperr.BudgetExceeded, "m").
		With("limit_nano_usd", int64(9_007_199_254_740_993)).
		With("excluded", []map[string]string{{"model": "large"}})
	var e *apperr.Error
	require.ErrorAs(t, apperr.FromGRPC(across(t)(apperr.ToGRPC(give))), &e)
	want, err := json.Marshal(give.Details)
	require.NoError(t, err)
	got, err := json.Marshal(e.Details)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestUnknownErrorIsOpaqueOverGRPC(t *testing.T) {
	err := across(t)(apperr.ToGRPC(errSecret))
	require.NotContains(t, err.Error(), "hunter2")
	back := apperr.FromGRPC(err)
	require.True(t, apperr.Is(back, apperr.Internal))
	require.NotContains(t, back.Error(), "hunter2")
}

func TestWhatCannotTravelIsDroppedAlone(t *testing.T) {
	send := across(t)
	for name, give := range map[string]*apperr.Error{
		"details": apperr.New(apperr.ModelNotFound, "no such model").With("oops", func() {}),
		"message": apperr.New(apperr.ModelNotFound, "no such model \xff").With("param", "model"),
	} {
		t.Run(name, func(t *testing.T) {
			var e *apperr.Error
			require.ErrorAs(t, apperr.FromGRPC(send(apperr.ToGRPC(give))), &e)
			require.Equal(t, apperr.ModelNotFound, e.Code)
			require.Contains(t, e.Message, "no such model")
		})
	}
}

func TestOthersErrorsStayAsTheyAre(t *testing.T) {
	require.NoError(t, apperr.ToGRPC(nil))
	require.NoError(t, apperr.FromGRPC(nil))
	foreign, err := status.New(grpccodes.Unavailable, "m").WithDetails(&errdetails.ErrorInfo{Reason: "NOT_FOUND", Domain: "elsewhere"})
	require.NoError(t, err)
	unknown, err := status.New(grpccodes.Unavailable, "m").WithDetails(&errdetails.ErrorInfo{Reason: "NEWER", Domain: "signalbox"})
	require.NoError(t, err)
	for _, give := range []error{errors.New("plain"), status.Error(grpccodes.Unavailable, "gone"), foreign.Err(), unknown.Err()} {
		require.Equal(t, give, apperr.FromGRPC(give))
	}
}
