package counters

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// In a cluster, the counters of many accounts are on all primaries. Each of them learns the
// scripts at the first call.
func TestCountersOfACluster(t *testing.T) {
	r := open(t, testenv.Cluster(t))
	var rates []limits.RateUpdate
	var holds []limits.HoldUpdate
	for n := range 30 {
		id := subject
		id.AccountID = strconv.Itoa(n)
		rates = append(rates, limits.RateUpdate{CounterID: id, Limit: 60, Min: 1, Max: int64(n) + 1})
		holds = append(holds, limits.HoldUpdate{CounterID: id, Period: "2026-11", Limit: 100, Sequence: 1, Need: int64(n) + 1, HoldTTL: time.Hour, CounterTTL: time.Hour})
	}
	granted, held, err := r.Exchange(t.Context(), rates, holds)
	require.NoError(t, err)
	for n := range 30 {
		require.Equal(t, int64(n)+1, granted[n].Units)
		require.Equal(t, int64(n)+1, held[n].Held)
	}
	count, _, err := r.CountProxies(t.Context(), limits.ProxyTTL, true)
	require.NoError(t, err)
	require.Equal(t, 1, count)
}
