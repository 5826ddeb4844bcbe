// Package counters keeps the limits' shared counters in Redis, by scripts that
// go by Redis' own clock. Every counter expires by itself, and those of one
// account live together, so that a cluster can hold them. It decides nothing:
// package limits says what to ask for.
package counters

import (
	"context"
	_ "embed" // scripts
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

var (
	//go:embed rate.lua
	rateScript string
	//go:embed hold.lua
	holdScript string
	//go:embed proxies.lua
	proxiesScript string
)

const (
	prefix = "signalbox:limits:"
	// dialTimeout and callTimeout are for callers without a deadline.
	dialTimeout = time.Second
	callTimeout = time.Second
	// conns is how many accounts can ask at the same time.
	conns = 16
)

// Redis is the counters of all proxies. It is safe for concurrent use.
type Redis struct {
	client              *redis.Client
	me                  string
	rate, hold, proxies *redis.Script
	trips               atomic.Int64
}

// Open fails only if the URL is bad: it does not connect. To the others it is
// a new proxy, so that what an earlier one of this machine has spent stays.
func Open(url string) (*Redis, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		// The cause would quote the URL, and with it the password.
		return nil, errors.New("counters: the URL of Redis must look like redis://user:password@host:6379/0")
	}
	o.DialTimeout, o.DialerRetries = dialTimeout, 1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = callTimeout, callTimeout, callTimeout
	// Without it the deadlines of callers are ignored.
	o.ContextTimeoutEnabled = true
	// A call that failed may have been done.
	o.MaxRetries = -1
	o.PoolSize, o.MaxActiveConns, o.PipelinePoolSize = conns, conns, conns
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Redis{
		client: redis.NewClient(o), me: uuid.NewString(),
		rate: redis.NewScript(rateScript), hold: redis.NewScript(holdScript), proxies: redis.NewScript(proxiesScript),
	}, nil
}

// Close gives the connections back.
func (r *Redis) Close() error { return r.client.Close() }

// RoundTrips is how often Redis was asked.
func (r *Redis) RoundTrips() int64 { return r.trips.Load() }

// Proxies returns how many were heard of within a time, this one included if it
// joins, and whether this one was known.
func (r *Redis) Proxies(ctx context.Context, within time.Duration, join bool) (int, bool, error) {
	r.trips.Add(1)
	args := []any{r.me, limits.Lives.Milliseconds(), within.Milliseconds(), join}
	answer, err := r.proxies.Run(ctx, r.client, []string{prefix + "proxies"}, args...).Int64Slice()
	if err != nil || len(answer) != 2 {
		return 0, false, fmt.Errorf("counters: count proxies: %w", unexpected(err))
	}
	return int(answer[0]), answer[1] == 1, nil
}

// name is that of a counter. The braces keep an account in one slot.
func name(s *limits.Subject, period string) string {
	n := prefix + "{" + s.AccountID + "}:" + s.Scope + ":" + s.ID + ":" + s.Name
	if period != "" {
		n += ":" + period
	}
	return n
}

func unexpected(err error) error {
	if err == nil {
		return errors.New("an answer of another form")
	}
	return err
}

func unknown(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT")
}
