package provider_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

func TestContextError(t *testing.T) {
	left := errors.New("client left")
	past := time.Now().Add(-time.Second)
	for _, tt := range []struct {
		name  string
		give  func(context.Context) (context.Context, context.CancelFunc)
		code  apperr.Code
		cause error
	}{
		{"cancelled", context.WithCancel, apperr.ClientCancelled, context.Canceled},
		{"with a cause", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(left) }
		}, apperr.ClientCancelled, left},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, past)
		}, apperr.ProviderTimeout, context.DeadlineExceeded},
		{"deadline with a cause", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadlineCause(ctx, past, left)
		}, apperr.ProviderTimeout, left},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := tt.give(t.Context())
			cancel()
			err := provider.ContextError(ctx)
			require.Equal(t, tt.code, apperr.CodeOf(err))
			require.ErrorIs(t, err, tt.cause)
		})
	}
}
