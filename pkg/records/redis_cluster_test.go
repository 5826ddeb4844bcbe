package records_test

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/records/recordstest"
	"github.com/signalbox/signalbox/pkg/redisx"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// In a cluster, the keys of the producers are in different slots.
func TestRedisClusterKeepsTheContract(t *testing.T) {
	url := testenv.Cluster(t)
	recordstest.Run(t, func(t *testing.T) (records.Publisher, records.Source) {
		flushCluster(t, url)
		p, err := records.NewRedisPublisher(url, records.RedisPublisherConfig{})
		require.NoError(t, err)
		s, err := records.NewRedisSource(url, records.RedisSourceConfig{Consumer: "one", Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, cmp.Or(p.Close(), s.Close())) })
		return p, s
	})
	p, err := records.NewRedisPublisher(url, records.RedisPublisherConfig{})
	require.NoError(t, err)
	require.NoError(t, p.Check(t.Context()))
}

// One primary that evicts is enough to lose records.
func TestEveryPrimaryOfAClusterIsChecked(t *testing.T) {
	url := testenv.Cluster(t)
	p, err := records.NewRedisPublisher(url, records.RedisPublisherConfig{})
	require.NoError(t, err)
	require.NoError(t, p.Check(t.Context()))
	var once atomic.Bool // ForEachMaster calls in parallel
	require.NoError(t, clusterClient(t, url).ForEachMaster(t.Context(), func(ctx context.Context, c *redis.Client) error {
		if once.Swap(true) {
			return nil
		}
		return c.ConfigSet(ctx, "maxmemory-policy", "allkeys-lru").Err()
	}))
	require.ErrorContains(t, p.Check(t.Context()), "must be noeviction")
}

func clusterClient(t *testing.T, url string) *redis.ClusterClient {
	t.Helper()
	c, err := redisx.Open(url, redisx.Options{DialTimeout: patience, Timeout: patience, Conns: 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	all, ok := c.(*redis.ClusterClient)
	require.True(t, ok)
	return all
}

func flushCluster(t *testing.T, url string) {
	t.Helper()
	require.NoError(t, clusterClient(t, url).ForEachMaster(t.Context(), func(ctx context.Context, c *redis.Client) error {
		return c.FlushAll(ctx).Err()
	}))
}
