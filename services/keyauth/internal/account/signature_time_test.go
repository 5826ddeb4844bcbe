package account_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// Receivers reject old signatures to prevent replays. Every attempt is therefore signed with
// its own time, not with that of the notice.
func TestEveryAttemptIsSignedWithItsOwnTime(t *testing.T) {
	hookedTime(t, func(t *testing.T, w world, h *hook, owner access.Actor) {
		_, err := w.RotateWebhookSecret(t.Context(), owner)
		require.NoError(t, err)
		h.respondWith(http.StatusServiceUnavailable)
		w.reachDay(t, owner)
		after(10 * time.Second) // the queue was not served in time
		defer w.delivering(t)()
		first := h.await(t, 1)
		second := h.await(t, 2)
		require.GreaterOrEqual(t, second.Sub(first), 30*time.Second)
		for i, at := range []time.Time{first, second} {
			var seconds int64
			_, err := fmt.Sscanf(strings.Split(h.received()[i].Signature, ",")[0], "t=%d", &seconds)
			require.NoError(t, err)
			require.WithinDuration(t, at, time.Unix(seconds, 0), 2*time.Second)
		}
	})
}
