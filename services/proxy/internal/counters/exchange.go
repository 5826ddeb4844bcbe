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

// call is one script with what it is asked.
type call struct {
	script *redis.Script
	key    []string
	args   []any
	answer *redis.Cmd
}

// Exchange answers every ask at its index, in one round trip: two if Redis
// does not know the scripts.
func (r *Redis) Exchange(ctx context.Context, rates []limits.RateAsk, holds []limits.HoldAsk) ([]limits.RateGrant, []limits.HoldGrant, error) {
	calls := make([]call, 0, len(rates)+len(holds))
	for i := range rates {
		calls = append(calls, r.rateCall(&rates[i]))
	}
	for i := range holds {
		calls = append(calls, r.holdCall(&holds[i]))
	}
	if err := r.run(ctx, calls); err != nil {
		return nil, nil, err
	}
	return grants(calls, len(rates))
}

func (r *Redis) rateCall(a *limits.RateAsk) call {
	return call{script: r.rate, key: []string{name(&a.Subject, "")}, args: []any{
		a.Limit, a.Least, a.Want, a.Back, a.Debit, a.Seen.Microseconds(),
	}}
}

func (r *Redis) holdCall(a *limits.HoldAsk) call {
	return call{script: r.hold, key: []string{name(&a.Subject, a.Period)}, args: []any{
		r.me, a.Limit, a.Number, a.Settled, a.Stored, a.Used, a.Least, a.Need, a.Spare, max(1, a.SparePart),
		a.TTL.Milliseconds(), a.Keep.Milliseconds(),
	}}
}

// run makes the calls by the scripts' names, and those again in full that
// Redis did not know.
func (r *Redis) run(ctx context.Context, calls []call) error {
	var again []*call
	err := r.pipe(ctx, func(p redis.Pipeliner) {
		for i := range calls {
			c := &calls[i]
			c.answer = c.script.EvalSha(ctx, p, c.key, c.args...)
		}
	})
	for i := range calls {
		if unknown(calls[i].answer.Err()) {
			again = append(again, &calls[i])
		}
	}
	if len(again) == 0 {
		return err
	}
	return r.pipe(ctx, func(p redis.Pipeliner) {
		for _, c := range again {
			c.answer = c.script.Eval(ctx, p, c.key, c.args...)
		}
	})
}

func (r *Redis) pipe(ctx context.Context, fill func(redis.Pipeliner)) error {
	r.trips.Add(1)
	p := r.client.Pipeline()
	fill(p)
	if _, err := p.Exec(ctx); err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	return nil
}

// grants reads the answers; the first n are those of rates.
func grants(calls []call, n int) ([]limits.RateGrant, []limits.HoldGrant, error) {
	rates, holds := make([]limits.RateGrant, n), make([]limits.HoldGrant, len(calls)-n)
	for i := range calls {
		answer, err := calls[i].answer.StringSlice()
		if err != nil {
			return nil, nil, fmt.Errorf("counters: %w", err)
		}
		switch {
		case i < n && len(answer) == 2:
			rates[i] = limits.RateGrant{Units: number(answer[0]), Used: time.Duration(number(answer[1])) * time.Microsecond}
		case i >= n && len(answer) == 3:
			holds[i-n] = limits.HoldGrant{Held: number(answer[0]), Free: number(answer[1]), Spent: number(answer[2])}
		default:
			return nil, nil, fmt.Errorf("counters: %w", unexpected(nil))
		}
	}
	return rates, holds, nil
}

// number reads a whole number of a script's, whose doubles may be a little
// more than an int64 holds.
func number(s string) int64 {
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
