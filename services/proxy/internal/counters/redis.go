// Package counters implements limits.Counters in Redis. Lua scripts update the counters
// and use the clock of Redis. Every counter expires on its own. The counters of one account
// share a hash slot, so that they work in a cluster. The package only applies updates;
// package limits computes them.
package counters

import (
	"cmp"
	"context"
	_ "embed" // scripts
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/redisx"
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
	keyPrefix = "signalbox:limits:"
	// defaultTimeout is the default of Config.Timeout.
	defaultTimeout = time.Second
	// maxConns limits the connections. One exchange of updates uses one connection.
	maxConns = 16
)

// Redis is a client of the counters that all proxies share. It is safe for concurrent use.
type Redis struct {
	client                                redis.UniversalClient
	proxyID                               string
	rateScript, holdScript, proxiesScript *redis.Script
	roundTrips                            atomic.Int64
}

// Config holds the settings of a client.
type Config struct {
	URL config.Secret
	// Timeout limits the attempt to connect, and calls without an earlier deadline. 0 means a
	// second.
	Timeout time.Duration
}

// Open prepares a client without connecting, so it fails only if the URL is
// invalid. Each Open creates a new proxy id. With the id of an earlier process, this
// process would overwrite the spend that the earlier process stored.
func Open(c Config) (*Redis, error) {
	timeout := cmp.Or(c.Timeout, defaultTimeout)
	client, err := redisx.Open(c.URL.Reveal(), redisx.Options{DialTimeout: timeout, Timeout: timeout, Conns: maxConns})
	if err != nil {
		return nil, fmt.Errorf("counters: %w", err)
	}
	return &Redis{
		client: client, proxyID: uuid.NewString(),
		rateScript: redis.NewScript(rateScript), holdScript: redis.NewScript(holdScript), proxiesScript: redis.NewScript(proxiesScript),
	}, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

// RoundTrips returns about how many round trips to Redis were made.
func (r *Redis) RoundTrips() int64 { return r.roundTrips.Load() }

// CountProxies returns how many proxies were seen within a duration, and whether
// this proxy was registered before the call. If join is set, the call registers
// this proxy and counts it.
func (r *Redis) CountProxies(ctx context.Context, within time.Duration, join bool) (int, bool, error) {
	r.roundTrips.Add(1)
	args := []any{r.proxyID, limits.ProxyTTL.Milliseconds(), within.Milliseconds(), join}
	response, err := r.proxiesScript.Run(ctx, r.client, []string{keyPrefix + "proxies"}, args...).Int64Slice()
	if err != nil || len(response) != 2 {
		return 0, false, fmt.Errorf("counters: count proxies: %w", orUnexpected(err))
	}
	return int(response[0]), response[1] == 1, nil
}

// counterKey returns the Redis key of a counter. The braces put all keys of an
// account into one hash slot.
func counterKey(id *limits.CounterID, period string) string {
	n := keyPrefix + "{" + id.AccountID + "}:" + id.Scope + ":" + id.ID + ":" + id.Name
	if period != "" {
		n += ":" + period
	}
	return n
}

// orUnexpected returns err. If err is nil, it returns an error for a response that
// the script should not return.
func orUnexpected(err error) error {
	if err == nil {
		return errors.New("script returned an unexpected response")
	}
	return err
}

// isUnknownScript reports whether Redis does not have the script in its cache.
func isUnknownScript(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT")
}
