package records

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisConfig is how a Redis publishes.
type RedisConfig struct {
	// Timeout is how long Redis may take to answer; 2 s if zero. An earlier
	// deadline of the caller holds.
	Timeout time.Duration
}

// Redis is a Publisher over a Redis stream. It is safe for concurrent use. It
// never trims the stream: a Redis that is full refuses records, and the spool
// keeps them.
type Redis struct{ client *redis.Client }

var _ Publisher = (*Redis)(nil)

// NewRedis makes a publisher. It fails only if the URL is bad: Redis may come
// later, and go and come back.
func NewRedis(url string, cfg RedisConfig) (*Redis, error) {
	c, err := openRedis(url, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &Redis{c}, nil
}

// Publish adds the entries in one round trip. They travel as they are: deflate
// costs several times all the rest, and saves little of a record without
// content.
func (r *Redis) Publish(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, e := range entries {
			p.XAdd(ctx, &redis.XAddArgs{Stream: redisStream, Values: redisFields(e)})
		}
		return nil
	})
	return explain("publish", err)
}

// Committed returns what the ledgers have published. A Redis that lost it
// returns nothing: the records are sent again, and proven again.
func (r *Redis) Committed(ctx context.Context, producer string) ([]Range, error) {
	text, err := r.client.Get(ctx, redisProof+producer).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("ask what is committed", err)
	}
	return parseRanges(text)
}

// Check reports why records cannot be carried safely: Redis is away, would
// evict records, or has something else under the stream's name.
func (r *Redis) Check(ctx context.Context) error { return checkRedis(ctx, r.client) }

// Close drops the connections.
func (r *Redis) Close() error { return r.client.Close() }
