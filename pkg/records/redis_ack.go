package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// committedTTL is longer than a producer is likely to pause. After it, the producer
	// sends its remaining records again.
	committedTTL = 7 * 24 * time.Hour
	// maxPublishAttempts far exceeds the number of sources. An attempt fails only when
	// another source succeeds.
	maxPublishAttempts = 100
)

// ack removes the entries from Redis and publishes the committed ranges. It removes the
// entries first: a full Redis still allows that, and the removal frees memory for the
// ranges. Ranges that cannot be published wait for the next ack. If this process dies
// before that, the producer sends the entries again.
func (s *RedisSource) ack(ctx context.Context, ids []string, committed map[string][]Range) error {
	s.addUnpublished(committed)
	if err := s.removeEntries(ctx, ids); err != nil {
		return wrapRedisError("acknowledge", err)
	}
	unpublished := s.takeUnpublished()
	err := s.publishCommitted(ctx, unpublished)
	if err != nil {
		s.addUnpublished(unpublished)
	}
	return wrapRedisError("publish committed ranges", err)
}

// removeEntries deletes entries from the stream and the group, so that the stream holds
// only entries that are not stored. This is safe with several sources: there is one
// group, an entry is removed by its id after it was stored, and other sources have
// their own copies. It is not a transaction, because a full Redis rejects transactions.
// So the order matters. An entry that is removed only from the group would stay in the
// stream forever. An entry that is removed only from the stream leaves the group at the
// next read.
func (s *RedisSource) removeEntries(ctx context.Context, ids []string) error {
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XDel(ctx, redisStream, ids...)
		p.XAck(ctx, redisStream, redisGroup, ids...)
		return nil
	})
	return err
}

func (s *RedisSource) addUnpublished(committed map[string][]Range) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for producer, ranges := range committed {
		s.unpublished[producer] = MergeRanges(slices.Concat(s.unpublished[producer], ranges))
	}
}

func (s *RedisSource) takeUnpublished() map[string][]Range {
	s.mu.Lock()
	defer s.mu.Unlock()
	unpublished := s.unpublished
	s.unpublished = map[string][]Range{}
	return unpublished
}

// publishCommitted adds the ranges to the ranges that any source has published before.
func (s *RedisSource) publishCommitted(ctx context.Context, committed map[string][]Range) error {
	if len(committed) == 0 {
		return nil
	}
	var keys []string
	var ranges [][]Range
	for producer, r := range committed {
		keys, ranges = append(keys, redisCommittedPrefix+producer), append(ranges, r)
	}
	add := func(tx *redis.Tx) error { return updateCommitted(ctx, tx, keys, ranges) }
	var err error = redis.TxFailedErr
	for n := 0; n < maxPublishAttempts && errors.Is(err, redis.TxFailedErr); n++ {
		err = s.client.Watch(ctx, add, keys...)
	}
	return err
}

// updateCommitted returns redis.TxFailedErr if another source changed a key at the same
// time.
func updateCommitted(ctx context.Context, tx *redis.Tx, keys []string, ranges [][]Range) error {
	published, err := tx.MGet(ctx, keys...).Result()
	if err != nil {
		return err
	}
	_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for i, key := range keys {
			p.Set(ctx, key, formatRanges(mergePublished(published[i], ranges[i])), committedTTL)
		}
		return nil
	})
	return err
}

// mergePublished merges the published ranges with new ones. It drops published ranges
// that cannot be parsed; the producer sends their records again.
func mergePublished(published any, ranges []Range) []Range {
	text, _ := published.(string)
	before, _ := parseRanges(text)
	return MergeRanges(slices.Concat(before, ranges))
}
