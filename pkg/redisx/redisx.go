// Package redisx opens clients of Redis, in the ways in which people run Redis:
//
//	redis://user:password@host:6379/0                            one server
//	redis-sentinel://user:password@a:26379,b:26379/0?master=main  a primary that Sentinel replaces
//	redis-cluster://user:password@a:6379,b:6379                   a cluster
//
// Each scheme has a form with TLS: rediss, rediss-sentinel and rediss-cluster. The client follows
// a failover on its own. Redis replicates asynchronously, so a new primary may not have the last
// writes of the old one: callers must be able to repeat them.
package redisx

import (
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// maxRedirects is how often a command follows the slots of a cluster that moved.
	maxRedirects = 3
	// clusterRefresh is how often a client in use asks for the primaries of a cluster. A dead
	// primary cannot redirect its clients, so they would use it for the client's default of a minute.
	clusterRefresh = 2 * time.Second
)

// Options are the limits of a client.
type Options struct {
	// DialTimeout limits one attempt to connect. Timeout limits commands without an earlier
	// deadline.
	DialTimeout, Timeout time.Duration
	// Conns limits the connections to one server. IdleConns of them stay open.
	Conns, IdleConns int
}

// Open returns a client. It does not connect, so it fails only if the URL is invalid or a file
// that it names cannot be read. The error never contains the URL, which may hold a password.
//
// The client repeats no command on one server: Redis may have executed a command whose response
// was lost. In a cluster it may repeat a command after a lost connection.
func Open(url string, o Options) (redis.UniversalClient, error) {
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	switch a.kind {
	case sentinel:
		return redis.NewFailoverClient(a.failoverOptions(o)), nil
	case cluster:
		return redis.NewClusterClient(a.clusterOptions(o)), nil
	}
	return redis.NewClient(a.serverOptions(o)), nil
}

// IsCluster reports whether keys of one command must be in one hash slot.
func IsCluster(c redis.UniversalClient) bool {
	_, ok := c.(*redis.ClusterClient)
	return ok
}

func noNotifications() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

func (a *address) serverOptions(o Options) *redis.Options {
	return &redis.Options{
		Network: a.network, Addr: a.hosts[0], Username: a.user, Password: a.password, DB: a.db, TLSConfig: a.tls,
		DialTimeout: o.DialTimeout, DialerRetries: 1, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout,
		// Without ContextTimeoutEnabled, the client ignores the deadlines of callers.
		ContextTimeoutEnabled: true, MaxRetries: -1,
		PoolSize: o.Conns, MaxActiveConns: o.Conns, PipelinePoolSize: o.Conns, MinIdleConns: o.IdleConns,
		MaintNotificationsConfig: noNotifications(),
	}
}

func (a *address) failoverOptions(o Options) *redis.FailoverOptions {
	return &redis.FailoverOptions{
		MasterName: a.master, SentinelAddrs: a.hosts, SentinelUsername: a.sentinelUser, SentinelPassword: a.sentinelPassword,
		Username: a.user, Password: a.password, DB: a.db, TLSConfig: a.tls,
		DialTimeout: o.DialTimeout, DialerRetries: 1, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout,
		ContextTimeoutEnabled: true, MaxRetries: -1,
		PoolSize: o.Conns, MaxActiveConns: o.Conns, PipelinePoolSize: o.Conns, MinIdleConns: o.IdleConns,
	}
}

func (a *address) clusterOptions(o Options) *redis.ClusterOptions {
	return &redis.ClusterOptions{
		Addrs: a.hosts, Username: a.user, Password: a.password, TLSConfig: a.tls,
		MaxRedirects: maxRedirects, ClusterStateReloadInterval: clusterRefresh,
		DialTimeout: o.DialTimeout, DialerRetries: 1, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout,
		ContextTimeoutEnabled: true, MaxRetries: -1,
		PoolSize: o.Conns, MaxActiveConns: o.Conns, PipelinePoolSize: o.Conns, MinIdleConns: o.IdleConns,
		MaintNotificationsConfig: noNotifications(),
	}
}
