package records

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// fetch returns the next messages. The result is empty if none arrives within redisBlockTimeout, or
// if fetch had to create the consumer group.
func (s *RedisSource) fetch(ctx context.Context) ([]redis.XMessage, error) {
	messages, err := s.readGroup(ctx)
	if !isGroupMissing(err) {
		return messages, err
	}
	err = s.createGroup(ctx)
	if !redis.IsOOMError(err) {
		return nil, err
	}
	// A full Redis cannot create a group. Reading is still possible, and acknowledging frees memory.
	// Without a group, several sources may read the same messages; the store ignores duplicates.
	messages, rangeErr := s.client.XRangeN(ctx, redisStream, "-", "+", s.messageCount).Result()
	if len(messages) > 0 {
		return messages, nil
	}
	return nil, errors.Join(err, rangeErr)
}

// readGroup returns the pending messages of this consumer: messages that were delivered to it but not
// acknowledged, and messages claimed from other consumers. If there are none, it returns new messages.
// So a message whose delivery was lost on the network is delivered again.
func (s *RedisSource) readGroup(ctx context.Context) ([]redis.XMessage, error) {
	if err := s.claimIdle(ctx); err != nil {
		return nil, err
	}
	messages, err := s.readFrom(ctx, "0", -1)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	return s.readFrom(ctx, ">", redisBlockTimeout)
}

func (s *RedisSource) readFrom(ctx context.Context, from string, block time.Duration) ([]redis.XMessage, error) {
	// Without this deadline, the client would wait ten seconds longer than the blocking time.
	ctx, cancel := context.WithTimeout(ctx, max(block, 0)+s.cfg.Timeout)
	defer cancel()
	streams, err := s.client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: redisGroup, Consumer: s.cfg.Consumer, Streams: []string{redisStream, from},
		Count: s.messageCount, Block: block,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		s.messageCount = max(1, s.messageCount/2)
		return nil, err
	}
	if len(streams) == 0 {
		return nil, nil
	}
	return streams[0].Messages, nil
}

// claimIdle regularly takes over messages that another consumer has not acknowledged for ClaimAfter.
// That consumer has probably died. If it was only slow, both consumers store the same entries, and the
// store ignores duplicates.
func (s *RedisSource) claimIdle(ctx context.Context) error {
	if time.Now().Before(s.claimAt) {
		return nil
	}
	_, next, err := s.client.XAutoClaimJustID(ctx, &redis.XAutoClaimArgs{
		Stream: redisStream, Group: redisGroup, Consumer: s.cfg.Consumer,
		MinIdle: s.cfg.ClaimAfter, Start: s.claimFrom, Count: redisMaxMessages,
	}).Result()
	if err != nil {
		return err
	}
	if s.claimFrom = next; next == "0-0" { // the scan is complete
		s.claimAt = time.Now().Add(s.cfg.ClaimAfter / 3)
	}
	return nil
}

// createGroup creates the consumer group. The group starts at the oldest message, because the stream
// contains only messages that are not stored yet.
func (s *RedisSource) createGroup(ctx context.Context) error {
	err := s.client.XGroupCreateMkStream(ctx, redisStream, redisGroup, "0").Err()
	if redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil // another source was faster
	}
	return err
}

// isGroupMissing reports whether the consumer group does not exist: Redis is new or has lost its data.
// UNBLOCKED means that the stream was lost during a blocking read.
func isGroupMissing(err error) bool {
	return redis.HasErrorPrefix(err, "NOGROUP") || redis.HasErrorPrefix(err, "UNBLOCKED")
}
