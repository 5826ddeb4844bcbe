package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// committedTTL outlives any relevant pause of a producer. After it, the producer
	// sends its remaining records again.
	committedTTL = 7 * 24 * time.Hour
	// maxPublishAttempts far exceeds the number of sources. An attempt fails only when
	// another source succeeds.
	maxPublishAttempts = 100
)

// ack removes the entries first, because a full Redis still allows that, and it frees
// memory for the committed ranges. Ranges that cannot be published wait for the next
// ack. If this process dies before, the producer sends the entries again.
func (s *RedisSource) ack(ctx context.Context, ids []string, committed map[string][]Range) error {
	s.addUnpublished(committed)
	if err := s.removeEntries(ctx, ids); err != nil {
		return wrapRedisError("acknowledge", err)
	}
	owed := s.takeUnpublished()
	err := s.publishCommitted(ctx, owed)
	if err != nil {
		s.addUnpublished(owed)
	}
	return wrapRedisError("publish committed ranges", err)
}

// removeEntries deletes entries from the stream and the group, so that the stream holds
// exactly what is not stored. This is safe with several sources: there is one group, an
// entry is removed by id after it was stored, and other sources have their own copies.
// It is not a transaction, because a full Redis refuses those. So the order matters: an
// entry removed only from the group would stay forever, while one removed only from the
// stream leaves the group at the next read.
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
	owed := s.unpublished
	s.unpublished = map[string][]Range{}
	return owed
}

// publishCommitted adds the ranges to those already published by any source.
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

// updateCommitted returns redis.TxFailedErr if another source changed a key meanwhile.
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

// mergePublished replaces an unreadable text: the producer sends and proves again what
// it covered.
func mergePublished(published any, ranges []Range) []Range {
	text, _ := published.(string)
	before, _ := parseRanges(text)
	return MergeRanges(slices.Concat(before, ranges))
}
