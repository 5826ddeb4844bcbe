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
	// redisBatch is the most messages that are asked for. Redis bounds an answer
	// neither by its bytes nor by the records in it, so it is asked for few
	// messages at first, for more while a batch of them is small, and for fewer
	// when it is not or does not arrive in time.
	redisBatch = 200
	redisFirst = 16
	// redisRecords and redisBytes end a batch; the messages behind them come
	// again.
	redisRecords = 1000
	redisBytes   = 4 << 20
	// redisBlock bounds how long an end of Next's context goes unnoticed.
	redisBlock      = 500 * time.Millisecond
	redisClaimAfter = 30 * time.Second
)

// RedisSourceConfig is how a RedisSource reads.
type RedisSourceConfig struct {
	// Consumer tells this source from others that read at the same time. One
	// that keeps its name over a restart goes on at once with what it had not
	// acknowledged.
	Consumer string
	// ClaimAfter is how long an entry may lie unacknowledged with another
	// consumer before it is taken over; 30 s if zero.
	ClaimAfter time.Duration
	// Timeout is how long Redis may take to answer; 2 s if zero. An earlier
	// deadline of the caller holds.
	Timeout time.Duration
	Log     *slog.Logger
}

// RedisSource is a Source over a Redis stream, made for one goroutine that
// calls Next: until a batch is acknowledged, Next returns its entries again.
// Any number of sources, each with a name of its own, share the stream.
type RedisSource struct {
	cfg    RedisSourceConfig
	client *redis.Client

	// count is how many messages are asked for at present.
	count     int64
	claimAt   time.Time
	claimFrom string

	mu sync.Mutex
	// owed is what is stored and could not be published yet.
	owed map[string][]Range
}

var _ Source = (*RedisSource)(nil)

// NewRedisSource makes a source. It fails only if the URL is bad or there is
// no name: Redis may come later, and go and come back.
func NewRedisSource(url string, cfg RedisSourceConfig) (*RedisSource, error) {
	if cfg.Consumer == "" {
		return nil, errors.New("records: a source needs the name of its consumer")
	}
	cfg.ClaimAfter = cmp.Or(cfg.ClaimAfter, redisClaimAfter)
	cfg.Timeout = cmp.Or(cfg.Timeout, redisTimeout)
	c, err := openRedis(url, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &RedisSource{cfg: cfg, client: c, count: redisFirst, claimFrom: "0-0", owed: map[string][]Range{}}, nil
}

// Next waits for entries. Its context's end is noticed within half a second.
func (s *RedisSource) Next(ctx context.Context) (Batch, error) {
	for ctx.Err() == nil {
		messages, err := s.fetch(ctx)
		if err != nil {
			return Batch{}, ended(ctx, explain("read", err))
		}
		b, err := s.batch(ctx, messages)
		if err != nil {
			return Batch{}, ended(ctx, explain("discard unreadable entries", err))
		}
		if len(b.Entries) > 0 {
			return b, nil
		}
	}
	return Batch{}, ctx.Err()
}

// batch makes a batch of what can be delivered and removes the rest, which
// would come for ever: entries that have left the stream already, and those
// that do not say whose they are, so that nobody waits for them.
func (s *RedisSource) batch(ctx context.Context, messages []redis.XMessage) (Batch, error) {
	d := open(messages)
	s.adapt(d)
	if len(d.rest) > 0 {
		if err := s.remove(ctx, d.rest); err != nil {
			return Batch{}, err
		}
	}
	if d.unreadable > 0 {
		s.cfg.Log.Error("entries of the stream cannot be read", "count", d.unreadable)
	}
	return Batch{Entries: d.entries, Ack: func(ctx context.Context, committed map[string][]Range) error {
		return s.ack(ctx, d.ids, committed)
	}}, nil
}

// Check reports why records cannot be carried safely: Redis is away, would
// evict records, or has something else under a name of ours.
func (s *RedisSource) Check(ctx context.Context) error { return checkRedis(ctx, s.client) }

// Close drops the connections.
func (s *RedisSource) Close() error { return s.client.Close() }

// ended is the context's error if that has ended. The connection, which has
// the same deadline, may notice a moment sooner.
func ended(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return cmp.Or(ctx.Err(), err)
}
