package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisPublisherConfig configures a RedisPublisher.
type RedisPublisherConfig struct {
	// Timeout limits each command; the default is 2 s. An earlier deadline of the caller takes
	// precedence.
	Timeout time.Duration
}

// RedisPublisher is a Publisher over a Redis stream. It is safe for concurrent use. It never trims the
// stream. A full Redis rejects records, and these stay in the spool, the proxy's log on disk.
type RedisPublisher struct {
	client redis.UniversalClient
	// builder is the builder of the last call, nil while a call uses it. A sync.Pool would lose its
	// buffers of a megabyte at each garbage collection.
	builder atomic.Pointer[blockBuilder]
	// streamLength is the length of the stream, in messages, after the last publish.
	streamLength atomic.Int64

	mu sync.Mutex
	// wrongTypeKeys contains an error for each producer whose Redis key has the wrong type.
	wrongTypeKeys map[string]error
}

var _ Publisher = (*RedisPublisher)(nil)

// NewRedisPublisher returns a publisher. It does not connect, so Redis may become available later. It
// returns an error only for an invalid URL.
func NewRedisPublisher(url string, cfg RedisPublisherConfig) (*RedisPublisher, error) {
	c, err := openRedis(url, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &RedisPublisher{client: c, wrongTypeKeys: map[string]error{}}, nil
}

// Publish adds the entries to the stream in one round trip. It groups entries into blocks, because a
// block costs Redis little more than a single record.
func (r *RedisPublisher) Publish(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	builder := r.builder.Swap(nil)
	if builder == nil {
		builder = &blockBuilder{}
	}
	defer r.builder.Store(builder)
	blocks := builder.buildBlocks(entries, r.streamLength.Load() > backlogLength)
	var length *redis.IntCmd
	_, err := r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, b := range blocks {
			pipe.XAdd(ctx, &redis.XAddArgs{Stream: redisStream, Values: []any{fieldProducer, b.producer, fieldBlock, b.bytes}})
		}
		length = pipe.XLen(ctx, redisStream)
		return nil
	})
	if err == nil {
		r.streamLength.Store(length.Val())
	}
	return wrapRedisError("publish", err)
}

// CommittedRanges returns the ranges that the ledger has published. If Redis has lost them, the result
// is empty, and the producer sends the records again.
func (r *RedisPublisher) CommittedRanges(ctx context.Context, producer string) ([]Range, error) {
	text, err := r.client.Get(ctx, redisCommittedPrefix+producer).Result()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	r.trackWrongType(producer, err)
	if err != nil {
		return nil, wrapRedisError("read committed ranges", err)
	}
	return parseRanges(text)
}

// ReportState stores the state in the hash of all producers.
func (r *RedisPublisher) ReportState(ctx context.Context, s ProducerState) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("records: encode state: %w", err)
	}
	_, err = r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, redisStates, s.Producer, text)
		pipe.Expire(ctx, redisStates, committedTTL)
		return nil
	})
	return wrapRedisError("report state", err)
}

// trackWrongType stores errors about keys of the wrong type. Check reports them.
func (r *RedisPublisher) trackWrongType(producer string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		r.wrongTypeKeys[producer] = wrapRedisError("read committed ranges", err)
		return
	}
	if err == nil {
		delete(r.wrongTypeKeys, producer)
	}
}

// Check returns an error if records cannot be transported safely: Redis is unavailable, Redis may evict
// records, or one of our keys has the wrong type.
func (r *RedisPublisher) Check(ctx context.Context) error {
	if err := checkRedis(ctx, r.client); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.wrongTypeKeys {
		return err
	}
	return nil
}

// Close closes the connections.
func (r *RedisPublisher) Close() error { return r.client.Close() }
