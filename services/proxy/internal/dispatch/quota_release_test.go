package dispatch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
)

// A call that finds a slot of its provider but too few tokens gives the slot back.
func TestAProviderSlotIsReleasedIfItsTokensAreUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := limited(t, upstreams{"one": answers(whole), "two": answers(whole)}, "{tokens: 6, concurrent: 1}", "{}")
		tried := func() []string { return codes(dispatch.Run(t.Context(), j, &sink{}).Attempts) }
		require.Equal(t, []string{"small"}, tried())
		require.Equal(t, []string{"small OVER_LIMIT", "large"}, tried())
		<-time.After(time.Minute)
		require.Equal(t, []string{"small"}, tried())
	})
}
