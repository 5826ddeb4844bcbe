package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
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
func openRedis(url string, timeout time.Duration) (*redis.Client, error) {
	if url == "" {
		return nil, errors.New("records: the Redis URL is missing: set SIGNALBOX_REDIS_URL, for example redis://user:password@host:6379/0")
	}
	o, err := redis.ParseURL(url)
	if err != nil {
		// The error of ParseURL may contain the URL with its password.
		return nil, errors.New("records: SIGNALBOX_REDIS_URL must look like redis://user:password@host:6379/0")
	}
	o.DialTimeout, o.DialerRetries = redisDialTimeout, 1
	o.ReadTimeout = cmp.Or(timeout, redisTimeout)
	o.WriteTimeout, o.PoolTimeout = o.ReadTimeout, o.ReadTimeout
	// Without this option, the client ignores the deadlines of contexts.
	o.ContextTimeoutEnabled = true
	// Redis may have executed a failed command. Callers repeat a command only if that is safe.
	o.MaxRetries = -1
	o.PoolSize, o.MaxActiveConns, o.PipelinePoolSize = redisConns, redisConns, redisConns
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(o), nil
}

// checkRedis returns an error if Redis cannot transport records safely.
func checkRedis(ctx context.Context, c *redis.Client) error {
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
func evictionPolicy(ctx context.Context, c *redis.Client) (string, error) {
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
