package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// The set contains the producers that have running requests. One key per producer contains their last
// report. The key expires, so a dead proxy needs no clean-up and no clock is compared.
const (
	redisRunning       = "signalbox:running"
	redisRunningPrefix = "signalbox:running:"
	// runningSetTTL removes the set some time after the last report.
	runningSetTTL = time.Minute
)

// ReportRunning replaces the last report of the producer.
func (r *RedisPublisher) ReportRunning(ctx context.Context, producer string, running []RunningRequest) error {
	text, err := json.Marshal(running)
	if err != nil {
		return fmt.Errorf("records: encode running requests: %w", err)
	}
	_, err = r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		if len(running) == 0 {
			pipe.Del(ctx, redisRunningPrefix+producer)
			pipe.SRem(ctx, redisRunning, producer)
			return nil
		}
		pipe.Set(ctx, redisRunningPrefix+producer, text, RunningTTL)
		pipe.SAdd(ctx, redisRunning, producer)
		pipe.Expire(ctx, redisRunning, runningSetTTL)
		return nil
	})
	return wrapRedisError("report running requests", err)
}

// RunningRequests returns the requests of all reports that have not expired. It removes producers
// without a report from the set; a producer that reports again adds itself.
func (s *RedisSource) RunningRequests(ctx context.Context) ([]RunningRequest, error) {
	producers, err := s.client.SMembers(ctx, redisRunning).Result()
	if err != nil || len(producers) == 0 {
		return nil, wrapRedisError("read the producers of running requests", err)
	}
	reports := make([]*redis.StringCmd, len(producers))
	_, err = s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, producer := range producers {
			reports[i] = pipe.Get(ctx, redisRunningPrefix+producer)
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, wrapRedisError("read running requests", err)
	}
	var out []RunningRequest
	var gone []any
	for i, report := range reports {
		var running []RunningRequest
		if json.Unmarshal([]byte(report.Val()), &running) != nil { // expired or invalid
			gone = append(gone, producers[i])
			continue
		}
		out = append(out, running...)
	}
	if len(gone) > 0 {
		err = s.client.SRem(ctx, redisRunning, gone...).Err()
	} else {
		err = nil
	}
	return out, wrapRedisError("remove producers without a report", err)
}
