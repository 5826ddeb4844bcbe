package rpc_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/rpc"
)

func TestDeadlineOfTheHandlerIsBeforeTheCallers(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		callers, _ := ctx.Deadline()
		began := time.Now()
		h.keys.verify = func(ctx context.Context) error {
			got, ok := ctx.Deadline()
			// Both clocks are this machine's. The gap is 20 ms, less the time that the timeout takes to
			// cross. It crosses in units of a microsecond or more.
			crossed := time.Since(began)
			if !ok || callers.Sub(got) < 10*time.Millisecond-crossed || callers.Sub(got) > time.Minute {
				return errors.New("wrong deadline")
			}
			return nil
		}
		require.NoError(t, h.verify(ctx), h.log)
	})
}

func TestCallWithoutDeadlineGetsOne(t *testing.T) {
	onEachNetwork(t, configs{client: rpc.ClientConfig{Timeout: time.Minute}}, func(t *testing.T, h *house) {
		h.keys.verify = func(ctx context.Context) error {
			d, ok := ctx.Deadline()
			if !ok || time.Until(d) > time.Minute || time.Until(d) < 11*time.Second {
				return errors.New("wrong deadline")
			}
			return nil
		}
		require.NoError(t, h.verify(context.Background()), h.log)
	})
}

func TestPassedDeadlineIsGoesOwn(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		h.keys.verify = func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("query interrupted")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := h.verify(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, codes.DeadlineExceeded, status.Code(err))
		require.Empty(t, h.log.String(), "the consequence of a deadline is not a failure of ours")
	})
}

func TestCancelledCallIsGoesOwn(t *testing.T) {
	onEachNetwork(t, configs{}, func(t *testing.T, h *house) {
		ctx, cancel := context.WithCancel(t.Context())
		h.keys.verify = func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
		err := h.verify(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, codes.Canceled, status.Code(err))
	})
}
