package inflight_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/inflight"
)

// running is the report of a proxy that serves one request of an account.
func running(t *testing.T, account string) []records.RunningRequest {
	t.Helper()
	id, err := uuid.NewV7()
	require.NoError(t, err)
	encoded, err := proto.Marshal(&recordv1.RequestRecord{Schema: 1, Id: id[:], AccountId: account, Time: timestamppb.Now(), Outcome: recordv1.Outcome_OUTCOME_OK})
	require.NoError(t, err)
	return []records.RunningRequest{{Elapsed: time.Second, Record: encoded}}
}

// A proxy that is killed withdraws nothing. Its requests disappear when its last report expires,
// while those of the other proxies stay.
func TestRequestsOfAKilledProxyDisappear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := records.NewMemory()
		board := inflight.New(carrier, slog.New(slog.DiscardHandler))
		killed, alive := running(t, "a"), running(t, "b")
		require.NoError(t, carrier.ReportRunning(t.Context(), "killed", killed))
		shown := func(account string) int { return len(board.Running(t.Context(), account)) }
		for passed := time.Duration(0); passed < records.RunningTTL; passed += time.Second {
			require.NoError(t, carrier.ReportRunning(t.Context(), "alive", alive))
			require.Equal(t, []int{1, 1}, []int{shown("a"), shown("b")}, "%s after the last report", passed)
			<-time.After(time.Second)
		}
		require.NoError(t, carrier.ReportRunning(t.Context(), "alive", alive))
		require.Equal(t, []int{0, 1}, []int{shown("a"), shown("b")})
	})
}

type failing struct{ inflight.Source }

func (failing) RunningRequests(context.Context) ([]records.RunningRequest, error) {
	return nil, errors.New("Redis is away")
}

func TestNothingIsShownIfReportsCannotBeRead(t *testing.T) {
	require.Empty(t, inflight.New(failing{}, slog.New(slog.DiscardHandler)).Running(t.Context(), "a"))
}
