package limits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Counters that lost their data report too few proxies at first. Each proxy would then take a
// larger share of the limits. So a lower number counts only after ProxyTTL, a higher one at once.
func TestFewerProxiesCountOnlyAfterAWhile(t *testing.T) {
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	k, err := New(Deps{Proxies: 3, Now: func() time.Time { return now }})
	require.NoError(t, err)
	var w counterMonitor
	report := func(after time.Duration, n int) int {
		now = now.Add(after)
		w.applyProxyCount(k, n)
		return k.ProxyCount()
	}
	require.Equal(t, 3, report(0, 1))
	require.Equal(t, 3, report(ProxyTTL-1, 1))
	require.Equal(t, 3, report(0, 3), "they are back")
	require.Equal(t, 3, report(1, 1), "the time starts again")
	require.Equal(t, 3, report(ProxyTTL-1, 2))
	require.Equal(t, 2, report(1, 2))
	require.Equal(t, 4, report(0, 4))
	require.Equal(t, 4, report(0, 0))
	require.Equal(t, 1, report(ProxyTTL, 0), "this proxy always counts")
}
