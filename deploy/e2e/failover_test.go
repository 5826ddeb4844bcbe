package e2e

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

var failoverFlag = flag.Bool("failover", false, "replace primaries of Redis and Postgres under load")

// redisArgs are what Signalbox needs of every Redis.
var redisArgs = []string{"--maxmemory-policy", "noeviction", "--appendonly", "yes"}

// failover replaces a server that the split deployment uses, under load. Clients notice nothing, and
// the ledger is exact afterwards.
func failover(t *testing.T, name string, happens func() error, flags ...string) {
	t.Helper()
	r := newRig(t, StartSplit, append([]string{"--proxies", "2"}, flags...)...)
	r.repeat(name, 1, func(e *episode) {
		e.awaitSuccesses(*rate)
		require.NoError(t, happens())
		e.awaitSuccesses(*rate)
	})
}

func needsFailoverRun(t *testing.T) {
	t.Helper()
	if !*failoverFlag {
		t.Skip("runs with make failover")
	}
}

// Sentinel promotes a replica that may not have the last records. The spools of the proxies send
// them again.
func TestFailoverOfSentinel(t *testing.T) {
	needsFailoverRun(t)
	s, err := testenv.StartRedisSentinel(redisArgs...)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	failover(t, "Sentinel: the primary is killed", s.KillPrimary, "--redis", s.URL)
}

func TestFailoverOfCluster(t *testing.T) {
	needsFailoverRun(t)
	c, err := testenv.StartRedisCluster(1, redisArgs...)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	failover(t, "Cluster: a primary is killed", func() error { return c.KillPrimaryOf("signalbox:records") }, "--redis", c.URL)
}

// The replica has every commit that the primary confirmed. The dashboard reads its pages from it.
func TestFailoverOfPostgres(t *testing.T) {
	needsFailoverRun(t)
	p, err := testenv.StartPostgresPair()
	require.NoError(t, err)
	t.Cleanup(p.Stop)
	failover(t, "Postgres: the primary is killed", p.FailOver, "--postgres", p.URL, "--set", "SIGNALBOX_POSTGRES_READ_URL="+p.ReadURL)
}

// Every service works through PgBouncer in transaction mode. It restarts under load.
func TestFailoverOfPgBouncer(t *testing.T) {
	needsFailoverRun(t)
	b, err := testenv.StartPgBouncer()
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	failover(t, "PgBouncer is killed", b.Restart, "--postgres", b.URL)
}
