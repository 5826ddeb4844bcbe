package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestPersistWaitsForWhatIsAbsent(t *testing.T) {
	absent, other := errors.New("absent"), errors.New("other")
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		tries := 0
		require.NoError(t, RetryWhileUnavailable(t.Context(), log, absent, func() error {
			if tries++; tries < 5 {
				return fmt.Errorf("open: %w", absent)
			}
			return nil
		}))
		require.Equal(t, 5, tries)
		require.Equal(t, 2, strings.Count(out.String(), "\n"), out.String())

		require.ErrorIs(t, RetryWhileUnavailable(t.Context(), log, absent, func() error { return other }), other)

		ctx, cancel := context.WithCancel(t.Context())
		tries = 0
		err := RetryWhileUnavailable(ctx, log, absent, func() error {
			if tries++; tries == 3 {
				cancel()
			}
			return absent
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, absent)
		require.Equal(t, 3, tries)
	})
}
