package counters

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// call is one script call and its response.
type call struct {
	script   *redis.Script
	key      []string
	args     []any
	response *redis.Cmd
}

// Exchange applies all updates in one round trip, or in two if Redis has not cached
// the scripts. Each grant has the same index as its update.
func (r *Redis) Exchange(ctx context.Context, rates []limits.RateUpdate, holds []limits.HoldUpdate) ([]limits.RateGrant, []limits.HoldGrant, error) {
	calls := make([]call, 0, len(rates)+len(holds))
	for i := range rates {
		calls = append(calls, r.newRateCall(&rates[i]))
	}
	for i := range holds {
		calls = append(calls, r.newHoldCall(&holds[i]))
	}
	if err := r.runCalls(ctx, calls); err != nil {
		return nil, nil, err
	}
	return parseGrants(calls, len(rates))
}

func (r *Redis) newRateCall(u *limits.RateUpdate) call {
	return call{script: r.rateScript, key: []string{counterKey(&u.CounterID, "")}, args: []any{
		u.Limit, u.Min, u.Max, u.Returned, u.Debit, u.LastUsed.Microseconds(),
	}}
}

func (r *Redis) newHoldCall(u *limits.HoldUpdate) call {
	return call{script: r.holdScript, key: []string{counterKey(&u.CounterID, u.Period)}, args: []any{
		r.proxyID, u.Limit, u.Sequence, u.Spent, u.StoredSpent, u.Reserved, u.Min, u.Need, u.Spare, max(1, u.SpareDivisor),
		u.HoldTTL.Milliseconds(), u.CounterTTL.Milliseconds(),
	}}
}

// runCalls calls the scripts by their hashes. It repeats the calls of scripts that
// Redis has not cached, with the source of the script.
func (r *Redis) runCalls(ctx context.Context, calls []call) error {
	var again []*call
	err := r.runPipeline(ctx, func(p redis.Pipeliner) {
		for i := range calls {
			c := &calls[i]
			c.response = c.script.EvalSha(ctx, p, c.key, c.args...)
		}
	})
	for i := range calls {
		if isUnknownScript(calls[i].response.Err()) {
			again = append(again, &calls[i])
		}
	}
	if len(again) == 0 {
		return err
	}
	return r.runPipeline(ctx, func(p redis.Pipeliner) {
		for _, c := range again {
			c.response = c.script.Eval(ctx, p, c.key, c.args...)
		}
	})
}

func (r *Redis) runPipeline(ctx context.Context, fill func(redis.Pipeliner)) error {
	r.roundTrips.Add(1)
	p := r.client.Pipeline()
	fill(p)
	if _, err := p.Exec(ctx); err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	return nil
}

// parseGrants parses the responses; the first n belong to rate updates.
func parseGrants(calls []call, n int) ([]limits.RateGrant, []limits.HoldGrant, error) {
	rates, holds := make([]limits.RateGrant, n), make([]limits.HoldGrant, len(calls)-n)
	for i := range calls {
		response, err := calls[i].response.StringSlice()
		if err != nil {
			return nil, nil, fmt.Errorf("counters: %w", err)
		}
		switch {
		case i < n && len(response) == 2:
			rates[i] = limits.RateGrant{Units: parseNumber(response[0]), Used: time.Duration(parseNumber(response[1])) * time.Microsecond}
		case i >= n && len(response) == 3:
			holds[i-n] = limits.HoldGrant{Held: parseNumber(response[0]), Free: parseNumber(response[1]), TotalSpent: parseNumber(response[2])}
		default:
			return nil, nil, fmt.Errorf("counters: %w", orUnexpected(nil))
		}
	}
	return rates, holds, nil
}

// parseNumber parses an integer that a script returned. Lua computes with doubles,
// so the integer may slightly exceed an int64. parseNumber returns the largest int64
// for any text that is not an int64 but a float64 that is not negative. It returns 0
// for all other texts.
func parseNumber(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return n
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 {
		return 0
	}
	return math.MaxInt64
}
