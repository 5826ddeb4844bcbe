package testenv

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// clusterPrimaries is the smallest number of primaries that can agree on a failover.
const clusterPrimaries = 3

const (
	// nodeTimeout is how long a server may be silent until its replica replaces it. A busy machine
	// silences servers for seconds.
	nodeTimeout = "60000"
	// failoverNodeTimeout replaces nodeTimeout while the cluster forms and when a primary is killed.
	failoverNodeTimeout = "1500"
)

// clusterSlots is the number of hash slots of every cluster.
const clusterSlots = 16384

// RedisCluster is a Redis Cluster of three primaries with up to one replica each.
type RedisCluster struct {
	// URL names all servers, as SIGNALBOX_REDIS_URL does.
	URL     string
	servers []*redis
}

// StartRedisCluster starts a cluster. replicas is 0 or 1 for each primary. The caller must call
// Stop.
func StartRedisCluster(replicas int, args ...string) (_ *RedisCluster, err error) {
	c := &RedisCluster{}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	var hosts []string
	for range clusterPrimaries * (1 + replicas) {
		if err = c.addServer(args); err != nil {
			return nil, err
		}
		hosts = append(hosts, net.JoinHostPort("127.0.0.1", strconv.Itoa(c.servers[len(c.servers)-1].port)))
	}
	c.URL = "redis-cluster://" + strings.Join(hosts, ",")
	if err = c.form(replicas > 0); err != nil {
		return nil, err
	}
	return c, c.setNodeTimeout(nodeTimeout)
}

func (c *RedisCluster) setNodeTimeout(milliseconds string) error {
	for _, r := range c.servers {
		if _, err := redisCommand(r.port, "CONFIG", "SET", "cluster-node-timeout", milliseconds); err != nil {
			return err
		}
	}
	return nil
}

func (c *RedisCluster) addServer(args []string) error {
	bus, err := ReservePort()
	if err != nil {
		return err
	}
	own := []string{"--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus), "--cluster-node-timeout", failoverNodeTimeout}
	r, err := startRedis(append(own, args...))
	if err != nil {
		return err
	}
	c.servers = append(c.servers, r)
	r.bus = bus
	return nil
}

// form gives each primary a third of the slots and makes the servers know each other.
func (c *RedisCluster) form(replicated bool) error {
	for i, r := range c.servers {
		first := c.servers[0]
		if _, err := redisCommand(r.port, "CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(first.port), strconv.Itoa(first.bus)); i > 0 && err != nil {
			return err
		}
		if i < clusterPrimaries {
			from, to := i*clusterSlots/clusterPrimaries, (i+1)*clusterSlots/clusterPrimaries-1
			if _, err := redisCommand(r.port, "CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(from), strconv.Itoa(to)); err != nil {
				return err
			}
		}
	}
	if err := awaitTrue("the cluster is complete", func() bool { return c.everySays("cluster_state:ok", len(c.servers)) }); err != nil || !replicated {
		return err
	}
	return c.replicate()
}

func (c *RedisCluster) replicate() error {
	for i, r := range c.servers[clusterPrimaries:] {
		id, err := redisCommand(c.servers[i].port, "CLUSTER", "MYID")
		if err != nil {
			return err
		}
		if _, err := redisCommand(r.port, "CLUSTER", "REPLICATE", id); err != nil {
			return err
		}
	}
	return awaitTrue("the replicas are connected", func() bool {
		for _, r := range c.servers[clusterPrimaries:] {
			if info, err := redisCommand(r.port, "INFO", "replication"); err != nil || !strings.Contains(info, "master_link_status:up") {
				return false
			}
		}
		return c.everySays("cluster_state:ok", len(c.servers))
	})
}

// everySays reports whether all running servers know of n servers and report a state.
func (c *RedisCluster) everySays(state string, n int) bool {
	for _, r := range c.servers {
		info, err := redisCommand(r.port, "CLUSTER", "INFO")
		if err != nil || !strings.Contains(info, state) || !strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", n)) {
			return false
		}
	}
	return true
}

// KillPrimaryOf kills the primary that has a key and waits until its replica has taken its place.
// The old primary stays down.
func (c *RedisCluster) KillPrimaryOf(key string) error {
	for i, r := range c.servers[:clusterPrimaries] {
		// Another server answers MOVED.
		if _, err := redisCommand(r.port, "TYPE", key); err != nil {
			continue
		}
		if err := c.setNodeTimeout(failoverNodeTimeout); err != nil {
			return err
		}
		r.proc.stop(syscall.SIGKILL)
		heir := c.servers[clusterPrimaries+i]
		return awaitTrue("the replica is promoted", func() bool {
			info, err := redisCommand(heir.port, "ROLE")
			return err == nil && strings.HasPrefix(info, "master")
		})
	}
	return fmt.Errorf("no primary has the key %s", key)
}

// Stop stops all servers.
func (c *RedisCluster) Stop() {
	for _, r := range c.servers {
		r.stop()
	}
}

// Cluster returns a cluster without replicas that stops when the test ends.
func Cluster(t testing.TB, args ...string) string {
	t.Helper()
	c, err := StartRedisCluster(0, args...)
	if err != nil {
		t.Fatalf("testenv: start Redis Cluster: %v", err)
	}
	t.Cleanup(c.Stop)
	return c.URL
}
