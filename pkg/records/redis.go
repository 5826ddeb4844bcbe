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

// What is kept in Redis: the stream of what is not stored yet, read by one
// group, for each producer a string of the ranges that are stored, and a hash
// of what the producers reported last.
const (
	redisStream = "signalbox:records"
	redisGroup  = "ledger"
	redisProof  = "signalbox:committed:"
	redisStates = "signalbox:producers"
)

const (
	redisDialTimeout = time.Second
	redisTimeout     = 2 * time.Second
	// A side has one busy goroutine; the other connections are for readiness.
	redisConns = 4
)

// openRedis fails only if the URL is bad: it does not connect.
func openRedis(url string, timeout time.Duration) (*redis.Client, error) {
	if url == "" {
		return nil, errors.New("records: no Redis is named: set SIGNALBOX_REDIS_URL, as in redis://user:password@host:6379/0")
	}
	o, err := redis.ParseURL(url)
	if err != nil {
		// The cause would quote the URL, and with it the password.
		return nil, errors.New("records: SIGNALBOX_REDIS_URL must look like redis://user:password@host:6379/0")
	}
	o.DialTimeout, o.DialerRetries = redisDialTimeout, 1
	o.ReadTimeout = cmp.Or(timeout, redisTimeout)
	o.WriteTimeout, o.PoolTimeout = o.ReadTimeout, o.ReadTimeout
	// Without it the deadlines of callers are ignored.
	o.ContextTimeoutEnabled = true
	// A command that failed may have been done: whether to repeat it is for
	// those to say who know that it is safe.
	o.MaxRetries = -1
	o.PoolSize, o.MaxActiveConns, o.PipelinePoolSize = redisConns, redisConns, redisConns
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(o), nil
}

// checkRedis reports why records cannot be carried safely.
func checkRedis(ctx context.Context, c *redis.Client) error {
	if err := c.Ping(ctx).Err(); err != nil {
		return explain("ping", err)
	}
	for key, want := range map[string]string{redisStream: "stream", redisStates: "hash"} {
		kind, err := c.Type(ctx, key).Result()
		if err != nil {
			return explain("look at "+key, err)
		}
		if kind != want && kind != "none" {
			return fmt.Errorf("records: the key %q of Redis holds a %s, not a %s", key, kind, want)
		}
	}
	policy, err := evictionPolicy(ctx, c)
	if err != nil {
		return explain("read maxmemory-policy", err)
	}
	if policy != "noeviction" {
		return fmt.Errorf("records: Redis may throw records away: maxmemory-policy is %q and must be noeviction", policy)
	}
	return nil
}

// evictionPolicy asks INFO first: hosted servers bar CONFIG.
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

// explain says what failed, and what an operator can do where Redis is terse.
func explain(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case redis.IsOOMError(err):
		return fmt.Errorf("records: %s: Redis has reached its maxmemory: %w", what, err)
	case redis.HasErrorPrefix(err, "WRONGTYPE"):
		return fmt.Errorf("records: %s: a key of ours is in use for something else: %w", what, err)
	}
	return fmt.Errorf("records: %s: %w", what, err)
}
