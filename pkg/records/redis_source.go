package records

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// redisMaxMessages bounds the messages per read. Redis limits a response neither by
	// bytes nor by records. So reads start small and grow while batches are small. They
	// shrink when a batch is large or a read times out.
	redisMaxMessages     = 200
	redisInitialMessages = 16
	// redisMaxRecords and redisMaxBytes bound a batch. Further messages are read again
	// for the next batch.
	redisMaxRecords = 1000
	redisMaxBytes   = 4 << 20
	// redisBlockTimeout bounds how long Next takes to notice that its context is done.
	redisBlockTimeout = 500 * time.Millisecond
	redisClaimAfter   = 30 * time.Second
)

// RedisSourceConfig configures a RedisSource.
type RedisSourceConfig struct {
	// Consumer distinguishes concurrent sources. A source that keeps its name across a
	// restart continues immediately with its unacknowledged entries.
	Consumer string
	// ClaimAfter is how long an entry may stay unacknowledged at another consumer before
	// this source takes it over; the default is 30 s.
	ClaimAfter time.Duration
	// Timeout bounds a command; the default is 2 s. An earlier deadline of the caller
	// takes precedence.
	Timeout time.Duration
	Log     *slog.Logger
}

// RedisSource is a Source over a Redis stream. A single goroutine must call Next, which
// returns entries again until they are acknowledged. Any number of sources with
// different names can share the stream.
type RedisSource struct {
	cfg    RedisSourceConfig
	client *redis.Client

	// messageCount is how many messages the next read requests.
	messageCount int64
	claimAt      time.Time
	claimFrom    string

	mu sync.Mutex
	// unpublished has committed ranges that could not be published yet.
	unpublished map[string][]Range
}

var _ Source = (*RedisSource)(nil)

// NewRedisSource returns an error only for an invalid URL or a missing consumer name.
// Redis may become available later.
func NewRedisSource(url string, cfg RedisSourceConfig) (*RedisSource, error) {
	if cfg.Consumer == "" {
		return nil, errors.New("records: the consumer name is missing")
	}
	cfg.ClaimAfter = cmp.Or(cfg.ClaimAfter, redisClaimAfter)
	cfg.Timeout = cmp.Or(cfg.Timeout, redisTimeout)
	c, err := openRedis(url, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &RedisSource{cfg: cfg, client: c, messageCount: redisInitialMessages, claimFrom: "0-0", unpublished: map[string][]Range{}}, nil
}

// Next waits for entries. It notices within half a second that ctx is done.
func (s *RedisSource) Next(ctx context.Context) (Batch, error) {
	for ctx.Err() == nil {
		messages, err := s.fetch(ctx)
		if err != nil {
			return Batch{}, contextError(ctx, wrapRedisError("read", err))
		}
		b, err := s.newBatch(ctx, messages)
		if err != nil {
			return Batch{}, contextError(ctx, wrapRedisError("discard unreadable entries", err))
		}
		if len(b.Entries) > 0 {
			return b, nil
		}
	}
	return Batch{}, ctx.Err()
}

// newBatch returns the entries of the messages. It removes messages that would otherwise
// be delivered forever: messages that were deleted from the stream, and messages without
// a valid producer, which no spool waits for.
func (s *RedisSource) newBatch(ctx context.Context, messages []redis.XMessage) (Batch, error) {
	d := openMessages(messages)
	s.adaptCount(d)
	if len(d.discardIDs) > 0 {
		if err := s.removeEntries(ctx, d.discardIDs); err != nil {
			return Batch{}, err
		}
	}
	if d.unreadable > 0 {
		s.cfg.Log.Error("unreadable stream entries discarded", "count", d.unreadable)
	}
	return Batch{Entries: d.entries, Ack: func(ctx context.Context, committed map[string][]Range) error {
		return s.ack(ctx, d.ids, committed)
	}}, nil
}

// Check returns an error if records cannot be transported safely: Redis is unavailable,
// it may evict records, or one of our keys has an unexpected type.
func (s *RedisSource) Check(ctx context.Context) error { return checkRedis(ctx, s.client) }

// Close closes the connections.
func (s *RedisSource) Close() error { return s.client.Close() }

// contextError returns the context's error if ctx is done. The connection has the same
// deadline and may report it slightly before ctx does.
func contextError(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return cmp.Or(ctx.Err(), err)
}
