package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestWithDeadline(t *testing.T) {
	tests := []struct {
		name       string
		left, want time.Duration
	}{
		{"none", 0, 10 * time.Second},
		{"long", time.Minute, time.Minute - 20*time.Millisecond},
		{"a routing decision", 25 * time.Millisecond, 23750 * time.Microsecond},
		{"just enough", time.Millisecond, 950 * time.Microsecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.left > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.left)
					defer cancel()
				}
				got, cancel, err := withDeadline(ctx)
				require.NoError(t, err)
				defer cancel()
				deadline, ok := got.Deadline()
				require.True(t, ok)
				require.Equal(t, tt.want, time.Until(deadline))
			})
		})
	}
}

func TestTooLittleTimeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 999*time.Microsecond)
		defer cancel()
		_, _, err := withDeadline(ctx)
		require.Equal(t, codes.DeadlineExceeded, status.Code(err))
	})
}
