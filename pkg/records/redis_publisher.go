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

// RedisConfig is how a Redis publishes.
type RedisConfig struct {
	// Timeout is how long Redis may take to answer; 2 s if zero. An earlier
	// deadline of the caller holds.
	Timeout time.Duration
}

// Redis is a Publisher over a Redis stream. It is safe for concurrent use. It
// never trims the stream: a Redis that is full refuses records, and the spool
// keeps them.
type Redis struct {
	client *redis.Client
	packs  sync.Pool
	// length is that of the stream when something was published last.
	length atomic.Int64

	mu sync.Mutex
	// foreign are the producers under whose key there is something else.
	foreign map[string]error
}

var _ Publisher = (*Redis)(nil)

// NewRedis makes a publisher. It fails only if the URL is bad: Redis may come
// later, and go and come back.
func NewRedis(url string, cfg RedisConfig) (*Redis, error) {
	c, err := openRedis(url, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &Redis{client: c, foreign: map[string]error{}}, nil
}

// Publish adds the entries in one round trip, in blocks: a block costs Redis
// and this process little more than a single record would.
func (r *Redis) Publish(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	p, _ := r.packs.Get().(*pack)
	if p == nil {
		p = &pack{}
	}
	defer r.packs.Put(p)
	blocks := p.blocks(entries, r.length.Load() > longStream)
	var length *redis.IntCmd
	_, err := r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, b := range blocks {
			pipe.XAdd(ctx, &redis.XAddArgs{Stream: redisStream, Values: []any{fieldProducer, b.producer, fieldBlock, b.bytes}})
		}
		length = pipe.XLen(ctx, redisStream)
		return nil
	})
	if err == nil {
		r.length.Store(length.Val())
	}
	return explain("publish", err)
}

// Committed returns what the ledgers have published. A Redis that lost it
// returns nothing: the records are sent again, and proven again.
func (r *Redis) Committed(ctx context.Context, producer string) ([]Range, error) {
	text, err := r.client.Get(ctx, redisProof+producer).Result()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	r.noteForeign(producer, err)
	if err != nil {
		return nil, explain("ask what is committed", err)
	}
	return parseRanges(text)
}

// Report keeps the state beside those of the other producers.
func (r *Redis) Report(ctx context.Context, s State) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("records: report: %w", err)
	}
	_, err = r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, redisStates, s.Producer, text)
		pipe.Expire(ctx, redisStates, proofTTL)
		return nil
	})
	return explain("report", err)
}

// noteForeign remembers keys that are not what they should be, for Check.
func (r *Redis) noteForeign(producer string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		r.foreign[producer] = explain("ask what is committed", err)
		return
	}
	if err == nil {
		delete(r.foreign, producer)
	}
}

// Check reports why records cannot be carried safely: Redis is away, would
// evict records, or has something else under a name of ours.
func (r *Redis) Check(ctx context.Context) error {
	if err := checkRedis(ctx, r.client); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.foreign {
		return err
	}
	return nil
}

// Close drops the connections.
func (r *Redis) Close() error { return r.client.Close() }
