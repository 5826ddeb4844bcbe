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
	// redisMaxMessages limits the messages per read. Redis cannot limit a response by bytes or by
	// records. So a source first reads few messages. It reads more messages while the batches are
	// small, and fewer after a large batch or a timeout.
	redisMaxMessages     = 200
	redisInitialMessages = 16
	// redisMaxRecords and redisMaxBytes limit a batch. The remaining messages are read again for
	// the next batch.
	redisMaxRecords = 1000
	redisMaxBytes   = 4 << 20
	// redisBlockTimeout limits how long Next takes to notice that its context is done.
	redisBlockTimeout = 500 * time.Millisecond
	redisClaimAfter   = 30 * time.Second
)

// RedisSourceConfig configures a RedisSource.
type RedisSourceConfig struct {
	// Consumer is the name of the source; concurrent sources need different names. If a restarted
	// source has the same name, it continues at once with its unacknowledged entries.
	Consumer string
	// ClaimAfter is how long an entry may stay unacknowledged at another source. Then this source takes
	// over the entry. The default is 30 s.
	ClaimAfter time.Duration
	// Timeout limits each command; the default is 2 s. An earlier deadline of the caller takes
	// precedence.
	Timeout time.Duration
	Log     *slog.Logger
}

// RedisSource is a Source over a Redis stream. Only one goroutine may call Next. Next returns entries
// again until they are acknowledged. Any number of sources with different names can share the stream.
type RedisSource struct {
	cfg    RedisSourceConfig
	client redis.UniversalClient

	// messageCount is how many messages the next read requests.
	messageCount int64
	// claimAt is the time of the next scan for idle messages, and claimFrom is the id at which the
	// scan continues.
	claimAt   time.Time
	claimFrom string

	mu sync.Mutex
	// unpublished has committed ranges that could not be published yet.
	unpublished map[string][]Range
}

var _ Source = (*RedisSource)(nil)

// NewRedisSource returns a source. It does not connect, so Redis may become available later. It returns
// an error only for an invalid URL or a missing consumer name.
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

// Next waits for entries. It returns within about half a second after ctx is done.
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

// newBatch returns the entries of the messages. It removes messages that would otherwise be delivered
// forever: messages that were deleted from the stream, and messages that cannot be decoded.
func (s *RedisSource) newBatch(ctx context.Context, messages []redis.XMessage) (Batch, error) {
	d := decodeMessages(messages)
	s.adaptMessageCount(d)
	if len(d.discardIDs) > 0 {
		if err := s.removeMessages(ctx, d.discardIDs); err != nil {
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

// Check returns an error if records cannot be transported safely: Redis is unavailable, Redis may evict
// records, or one of our keys has the wrong type.
func (s *RedisSource) Check(ctx context.Context) error { return checkRedis(ctx, s.client) }

// Close closes the connections.
func (s *RedisSource) Close() error { return s.client.Close() }

// contextError returns the error of ctx if ctx is done, and otherwise err. The connection has the same
// deadline as ctx and may report it slightly earlier.
func contextError(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return cmp.Or(ctx.Err(), err)
}
