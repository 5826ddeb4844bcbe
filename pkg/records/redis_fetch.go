package records

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// fetch returns the next messages, or none after a while.
func (s *RedisSource) fetch(ctx context.Context) ([]redis.XMessage, error) {
	messages, err := s.fromGroup(ctx)
	if !lostGroup(err) {
		return messages, err
	}
	err = s.createGroup(ctx)
	if !redis.IsOOMError(err) {
		return nil, err
	}
	// A full Redis makes no group, and only reading can free it. Several
	// sources then read the same, which the store tells apart.
	messages, rangeErr := s.client.XRangeN(ctx, redisStream, "-", "+", s.count).Result()
	if len(messages) > 0 {
		return messages, nil
	}
	return nil, errors.Join(err, rangeErr)
}

// fromGroup returns what this consumer had before and did not acknowledge,
// among it what it took over from others, and only then what is new. Asking
// each time also finds what Redis gave while its answer was lost on the way.
func (s *RedisSource) fromGroup(ctx context.Context) ([]redis.XMessage, error) {
	if err := s.claim(ctx); err != nil {
		return nil, err
	}
	messages, err := s.read(ctx, "0", -1)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	return s.read(ctx, ">", redisBlock)
}

func (s *RedisSource) read(ctx context.Context, from string, block time.Duration) ([]redis.XMessage, error) {
	// The client itself gives a blocking command ten seconds more.
	ctx, cancel := context.WithTimeout(ctx, max(block, 0)+s.cfg.Timeout)
	defer cancel()
	streams, err := s.client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: redisGroup, Consumer: s.cfg.Consumer, Streams: []string{redisStream, from},
		Count: s.count, Block: block,
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		s.count = max(1, s.count/2)
		return nil, err
	}
	if len(streams) == 0 {
		return nil, nil
	}
	return streams[0].Messages, nil
}

// claim takes over, from time to time, what lies with consumers that died. If
// one was only slow, both store the same entries, which the store tells apart.
func (s *RedisSource) claim(ctx context.Context) error {
	if time.Now().Before(s.claimAt) {
		return nil
	}
	_, next, err := s.client.XAutoClaimJustID(ctx, &redis.XAutoClaimArgs{
		Stream: redisStream, Group: redisGroup, Consumer: s.cfg.Consumer,
		MinIdle: s.cfg.ClaimAfter, Start: s.claimFrom, Count: redisBatch,
	}).Result()
	if err != nil {
		return err
	}
	if s.claimFrom = next; next == "0-0" { // all were looked at
		s.claimAt = time.Now().Add(s.cfg.ClaimAfter / 3)
	}
	return nil
}

// createGroup lets the group begin with the oldest entry: all that is in the
// stream is not stored.
func (s *RedisSource) createGroup(ctx context.Context) error {
	err := s.client.XGroupCreateMkStream(ctx, redisStream, redisGroup, "0").Err()
	if redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil // another source was faster
	}
	return err
}

// lostGroup reports whether there is no group, be it that Redis is new or that
// it lost its data, also while Next waited.
func lostGroup(err error) bool {
	return redis.HasErrorPrefix(err, "NOGROUP") || redis.HasErrorPrefix(err, "UNBLOCKED")
}
