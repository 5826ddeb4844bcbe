package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// proofTTL outlives any pause of a producer that matters. One whose proof
	// has expired sends again what it still holds.
	proofTTL = 7 * 24 * time.Hour
	// proofAttempts is far more than there are sources: each time one fails,
	// another one has succeeded.
	proofAttempts = 100
)

// ack removes the entries first, because that is what a full Redis still does
// and what makes room for the proof. A proof that cannot be published is owed,
// and goes with the next one; if this process dies before, the producer sends
// the entries again and they are proven then.
func (s *RedisSource) ack(ctx context.Context, ids []string, committed map[string][]Range) error {
	s.owe(committed)
	if err := s.remove(ctx, ids); err != nil {
		return explain("acknowledge", err)
	}
	owed := s.takeOwed()
	err := s.prove(ctx, owed)
	if err != nil {
		s.owe(owed)
	}
	return explain("publish what is committed", err)
}

// remove takes entries out of the stream and out of the group, so that the
// stream holds exactly what is not stored. With several sources this is safe:
// there is one group, an entry is removed by its own id and after it was
// stored, and a source that holds the same entry has its own copy. It is no
// transaction, which a full Redis refuses, and so the order matters: an entry
// that had left only the group would stay for ever, but of one that has left
// only the stream the group is rid the next time it is read.
func (s *RedisSource) remove(ctx context.Context, ids []string) error {
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XDel(ctx, redisStream, ids...)
		p.XAck(ctx, redisStream, redisGroup, ids...)
		return nil
	})
	return err
}

func (s *RedisSource) owe(committed map[string][]Range) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for producer, ranges := range committed {
		s.owed[producer] = Merge(slices.Concat(s.owed[producer], ranges))
	}
}

func (s *RedisSource) takeOwed() map[string][]Range {
	s.mu.Lock()
	defer s.mu.Unlock()
	owed := s.owed
	s.owed = map[string][]Range{}
	return owed
}

// prove adds the ranges to those that are published, by this source or
// another.
func (s *RedisSource) prove(ctx context.Context, committed map[string][]Range) error {
	if len(committed) == 0 {
		return nil
	}
	var keys []string
	var ranges [][]Range
	for producer, r := range committed {
		keys, ranges = append(keys, redisProof+producer), append(ranges, r)
	}
	add := func(tx *redis.Tx) error { return addRanges(ctx, tx, keys, ranges) }
	var err error = redis.TxFailedErr
	for n := 0; n < proofAttempts && errors.Is(err, redis.TxFailedErr); n++ {
		err = s.client.Watch(ctx, add, keys...)
	}
	return err
}

// addRanges fails with redis.TxFailedErr if another source changed a key in
// the meantime.
func addRanges(ctx context.Context, tx *redis.Tx, keys []string, ranges [][]Range) error {
	published, err := tx.MGet(ctx, keys...).Result()
	if err != nil {
		return err
	}
	_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for i, key := range keys {
			p.Set(ctx, key, formatRanges(union(published[i], ranges[i])), proofTTL)
		}
		return nil
	})
	return err
}

// union counts a text that cannot be read as nothing, so that it is replaced:
// what it may have proven is sent and proven again.
func union(published any, ranges []Range) []Range {
	text, _ := published.(string)
	before, _ := parseRanges(text)
	return Merge(slices.Concat(before, ranges))
}
