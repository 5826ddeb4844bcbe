package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/signalbox/signalbox/pkg/redisx"
)

// These are the keys and the consumer group in Redis. The stream contains the records that are not
// stored yet. For each producer, one key contains the committed ranges. A hash contains the states of
// all producers.
const (
	redisStream          = "signalbox:records"
	redisGroup           = "ledger"
	redisCommittedPrefix = "signalbox:committed:"
	redisStates          = "signalbox:producers"
)

const (
	redisDialTimeout = time.Second
	redisTimeout     = 2 * time.Second
	// redisConns limits the connections of a client. Few goroutines use a client at the same time:
	// those that transport records, and readiness checks.
	redisConns = 4
)

// openRedis returns a client. It does not connect, so it returns an error only for an invalid URL.
func openRedis(url string, timeout time.Duration) (redis.UniversalClient, error) {
	if url == "" {
		return nil, errors.New("records: the Redis URL is missing: set SIGNALBOX_REDIS_URL, for example redis://user:password@host:6379/0")
	}
	c, err := redisx.Open(url, redisx.Options{DialTimeout: redisDialTimeout, Timeout: cmp.Or(timeout, redisTimeout), Conns: redisConns})
	if err != nil {
		return nil, fmt.Errorf("records: SIGNALBOX_REDIS_URL: %w", err)
	}
	return c, nil
}

// checkRedis returns an error if Redis cannot transport records safely.
func checkRedis(ctx context.Context, c redis.UniversalClient) error {
	if err := c.Ping(ctx).Err(); err != nil {
		return wrapRedisError("ping", err)
	}
	for key, want := range map[string]string{redisStream: "stream", redisStates: "hash"} {
		kind, err := c.Type(ctx, key).Result()
		if err != nil {
			return wrapRedisError("read the type of "+key, err)
		}
		if kind != want && kind != "none" {
			return fmt.Errorf("records: Redis key %q has type %s, but must be a %s", key, kind, want)
		}
	}
	if all, ok := c.(*redis.ClusterClient); ok {
		return all.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return checkEviction(ctx, c) })
	}
	return checkEviction(ctx, c)
}

// checkEviction returns an error if a server may evict records.
func checkEviction(ctx context.Context, c redis.Cmdable) error {
	policy, err := evictionPolicy(ctx, c)
	if err != nil {
		return wrapRedisError("read maxmemory-policy", err)
	}
	if policy != "noeviction" {
		return fmt.Errorf("records: Redis may evict records: maxmemory-policy is %q, but must be noeviction", policy)
	}
	return nil
}

// evictionPolicy reads maxmemory-policy. It tries INFO first, because hosted Redis services often
// disable CONFIG.
func evictionPolicy(ctx context.Context, c redis.Cmdable) (string, error) {
	info, err := c.Info(ctx, "memory").Result()
	if err == nil {
		for line := range strings.Lines(info) {
			if policy, ok := strings.CutPrefix(line, "maxmemory_policy:"); ok {
				return strings.TrimSpace(policy), nil
			}
		}
	}
	settings, err := c.ConfigGet(ctx, "maxmemory-policy").Result()
	return settings["maxmemory-policy"], err
}

// wrapRedisError adds the failed action. For some errors it also adds an explanation.
func wrapRedisError(action string, err error) error {
	switch {
	case err == nil:
		return nil
	case redis.IsOOMError(err):
		return fmt.Errorf("records: %s: Redis has reached its maxmemory: %w", action, err)
	case redis.HasErrorPrefix(err, "WRONGTYPE"):
		return fmt.Errorf("records: %s: a Signalbox key in Redis has an unexpected type: %w", action, err)
	}
	return fmt.Errorf("records: %s: %w", action, err)
}
