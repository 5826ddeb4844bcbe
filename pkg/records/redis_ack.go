package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/signalbox/signalbox/pkg/redisx"
)

const (
	// committedTTL is how long Redis retains committed ranges after their last change. A proxy rarely
	// stays stopped for longer. If it does, it sends its remaining records again.
	committedTTL = 7 * 24 * time.Hour
	// maxPublishAttempts limits the attempts to publish committed ranges. An attempt is repeated only
	// if another source has published at the same time. There are far fewer sources than attempts.
	maxPublishAttempts = 100
)

// ack removes the messages from Redis and publishes the committed ranges. It removes the messages
// first: a full Redis still allows that, and it frees memory for the ranges. Ranges that cannot be
// published are published by the next ack. If this process dies before that, the producer sends the
// entries again.
func (s *RedisSource) ack(ctx context.Context, ids []string, committed map[string][]Range) error {
	s.addUnpublished(committed)
	if err := s.removeMessages(ctx, ids); err != nil {
		return wrapRedisError("acknowledge", err)
	}
	unpublished := s.takeUnpublished()
	err := s.publishCommitted(ctx, unpublished)
	if err != nil {
		s.addUnpublished(unpublished)
	}
	return wrapRedisError("publish committed ranges", err)
}

// removeMessages deletes messages from the stream and from the consumer group, so that the stream
// contains only messages that are not stored. This is safe with several sources: a message is removed
// by its id, and only after its entries were stored or found unreadable.
//
// The two commands are not a transaction, because a full Redis rejects transactions. So their order
// matters. If only XDEL succeeds, the next read finds the deleted message in the group and removes it.
// If only XACK succeeded, the message would stay in the stream forever.
func (s *RedisSource) removeMessages(ctx context.Context, ids []string) error {
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

// publishCommitted adds the ranges to the ranges that all sources have published before.
func (s *RedisSource) publishCommitted(ctx context.Context, committed map[string][]Range) error {
	if len(committed) == 0 {
		return nil
	}
	// A cluster has the keys of producers in different slots, so each needs its own transaction. If
	// one fails, all are published again, which changes nothing for those that did not fail.
	if len(committed) > 1 && redisx.IsCluster(s.client) {
		for producer, r := range committed {
			if err := s.publishCommitted(ctx, map[string][]Range{producer: r}); err != nil {
				return err
			}
		}
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

// updateCommitted adds the ranges to the keys. It returns redis.TxFailedErr if another source changed
// one of the keys at the same time.
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

// mergePublished merges the published ranges with new ones. It ignores published ranges that cannot be
// parsed. Their producer then sends the records again.
func mergePublished(published any, ranges []Range) []Range {
	text, _ := published.(string)
	before, _ := parseRanges(text)
	return MergeRanges(slices.Concat(before, ranges))
}
