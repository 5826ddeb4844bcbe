package control

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A restored service is noticed within a second, however long it was unavailable, and is not
// called too often meanwhile.
func TestAFailingWatchIsTriedOftenEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		tries, last := 0, time.Now()
		follow(ctx, slog.New(slog.DiscardHandler), "keys", func(context.Context, func()) error {
			require.Less(t, time.Since(last), time.Second)
			tries, last = tries+1, time.Now()
			return errors.New("connection refused")
		})
		require.Less(t, tries, 3*3600)
	})
}
