package rpc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

var errSecret = errors.New("dial postgres://user:hunter2@db")

func TestErrorCrossesWithAllItSays(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error {
			return apperr.New(apperr.RateLimitExceeded, "too many").With("limit", "rpm").WithRetryAfter(3 * time.Second).WithCause(errSecret)
		}
		err := h.verify(t.Context())
		var e *apperr.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, apperr.RateLimitExceeded, e.Code)
		require.Equal(t, "too many", e.Message)
		require.Equal(t, apperr.Details{"limit": "rpm"}, e.Details)
		require.Equal(t, 3*time.Second, e.RetryAfter)
		require.NotContains(t, err.Error(), "hunter2")
		require.Empty(t, h.log.String(), "a rejected request is not a server error")
	})
}

func TestLongListOfProblemsCrosses(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		long := strings.Repeat("problem ", 16<<10)
		h.keys.verify = func(context.Context) error {
			return apperr.New(apperr.PolicyInvalid, "refused").With("problems", long)
		}
		var e *apperr.Error
		require.ErrorAs(t, h.verify(t.Context()), &e)
		require.Equal(t, long, e.Details["problems"])
	})
}

func TestUnknownErrorIsOpaqueAndItsCauseLoggedOnce(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error { return errSecret }
		err := h.verify(t.Context())
		require.True(t, apperr.Is(err, apperr.Internal))
		require.NotContains(t, err.Error(), "hunter2")
		require.Equal(t, 1, strings.Count(h.log.String(), "hunter2"), h.log.String())
		require.Contains(t, h.log.String(), "level=ERROR")
		require.Contains(t, h.log.String(), "method=/signalbox.keyauth.v1.KeyAuthService/VerifyKey")
	})
}

// A peer's status may contain addresses, so a service must not pass on its text.
func TestForeignStatusIsOpaque(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error { return status.Error(codes.Unavailable, "dial 10.0.0.7") }
		err := h.verify(t.Context())
		require.True(t, apperr.Is(err, apperr.Internal))
		require.NotContains(t, err.Error(), "10.0.0.7")
		require.Contains(t, h.log.String(), "10.0.0.7")
	})
}

func TestCauseOfAnUnavailableStoreIsLogged(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error {
			return apperr.New(apperr.StoreUnavailable, "the store is away").WithCause(errSecret)
		}
		err := h.verify(t.Context())
		require.True(t, apperr.Is(err, apperr.StoreUnavailable))
		require.NotContains(t, err.Error(), "hunter2")
		require.Contains(t, h.log.String(), "level=WARN")
		require.Contains(t, h.log.String(), "hunter2")
	})
}

func TestPanicIsAnAnswer(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(context.Context) error { panic("hunter2") }
		h.keys.watch = func(grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error { panic("hunter3") }
		err := h.verify(t.Context())
		require.True(t, apperr.Is(err, apperr.Internal))
		require.NotContains(t, err.Error(), "hunter2")
		require.Equal(t, 1, strings.Count(h.log.String(), "panic: hunter2"), h.log.String())
		require.Contains(t, h.log.String(), "errors_test.go", "the stack")

		_, err = h.watch(t).Recv()
		require.True(t, apperr.Is(err, apperr.Internal))
		require.Contains(t, h.log.String(), "panic: hunter3")
	})
}

func TestStreamErrorCrosses(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		refusal := apperr.New(apperr.StoreUnavailable, "away").With("since", "noon")
		h.keys.watch = func(s grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
			return errors.Join(s.Send(&keyauthv1.WatchKeysResponse{Version: 7}), refusal)
		}
		h.router.decide = func(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
			_, err := s.Recv()
			return errors.Join(err, refusal)
		}
		stream := h.watch(t)
		msg, err := stream.Recv()
		require.NoError(t, err)
		require.EqualValues(t, 7, msg.GetVersion())
		_, err = stream.Recv()
		requireRefusal(t, err)

		bidi, err := routerv1.NewRouterServiceClient(h.conn).DecideStream(t.Context())
		require.NoError(t, err)
		require.NoError(t, bidi.Send(&routerv1.DecideStreamRequest{}))
		_, err = bidi.Recv()
		requireRefusal(t, err)
	})
}

func requireRefusal(t *testing.T, err error) {
	t.Helper()
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apperr.StoreUnavailable, e.Code)
	require.Equal(t, apperr.Details{"since": "noon"}, e.Details)
}

func TestStatusesOfGRPCItselfStay(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		_, err := routerv1.NewRouterServiceClient(h.conn).Status(t.Context(), &routerv1.StatusRequest{})
		require.Equal(t, codes.Unimplemented, status.Code(err))
		_, err = healthv1.NewHealthClient(h.conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: "nobody"})
		require.Equal(t, codes.NotFound, status.Code(err))
		require.Empty(t, h.log.String())
	})
}
