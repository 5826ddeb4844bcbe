// Package sessionredis stores the states of sessions in Redis, for several proxies. A session
// is one hash, which expires on its own. It holds the state of the last turn and the totals. A
// script adds to the totals, so that proxies do not overwrite each other.
//
// One call of the script writes a whole batch, or nothing if Redis is out of memory, read-only or
// loading. Redis remembers the number of the last batch of every proxy, so that a batch whose
// response was lost can be sent again. The order of turns and their age are measured by the clock
// of Redis. The package implements sessionkeeper.Shared; package sessionkeeper decides when it is
// called.
package sessionredis

import (
	"cmp"
	"context"
	_ "embed" // script
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/redisx"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

//go:embed save.lua
var saveScript string

const (
	keyPrefix = "signalbox:session:"
	// clusterTag puts all keys into one hash slot of a cluster, because one call of the script
	// writes the sessions of several accounts.
	clusterTag = "{signalbox:sessions}:"
	// writerPrefix begins the keys with the number of the last batch of a proxy.
	writerPrefix = "signalbox:session-writer:"
	// defaultTimeout is the default of Config.Timeout.
	defaultTimeout = time.Second
	// maxConns limits the connections. Every read uses one for a fraction of a millisecond.
	// idleConns stay open, because a read has no time to connect.
	maxConns, idleConns = 16, 2
)

// fields are the fields of a hash: the state, the end of the last turn, and the totals in the
// order of the script.
var fields = []string{"state", "at", "requests", "turns", "cost", "saved", "input", "cached"}

// totalsField is the position of the first of the totals in fields.
const totalsField = 2

// Redis implements sessionkeeper.Shared. It is safe for concurrent use.
type Redis struct {
	client redis.UniversalClient
	script *redis.Script
	// tag begins the keys in a cluster.
	tag string
}

// Config holds the settings of a client.
type Config struct {
	URL config.Secret
	// Timeout limits the attempt to connect, and calls without an earlier deadline. 0 means a
	// second.
	Timeout time.Duration
}

// Open prepares a client without waiting for a connection, so it fails only if the URL is
// invalid. The client has its own connections, so that a slow read delays no other call.
func Open(c Config) (*Redis, error) {
	timeout := cmp.Or(c.Timeout, defaultTimeout)
	client, err := redisx.Open(c.URL.Reveal(), redisx.Options{DialTimeout: timeout, Timeout: timeout, Conns: maxConns, IdleConns: idleConns})
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	r := &Redis{client: client, script: redis.NewScript(saveScript)}
	if redisx.IsCluster(client) {
		r.tag = clusterTag
	}
	return r, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

func (r *Redis) key(account string, key session.Key) string {
	return r.tag + keyPrefix + account + ":" + key.String()
}

// Load returns the state of a session and the time since its last turn. It returns nil if the
// session is unknown.
func (r *Redis) Load(ctx context.Context, account string, key session.Key) (*session.State, time.Duration, error) {
	p := r.client.Pipeline()
	hash, clock := p.HMGet(ctx, r.key(account, key), fields...), p.Time(ctx)
	if _, err := p.Exec(ctx); err != nil {
		return nil, 0, fmt.Errorf("sessions: %w", err)
	}
	values := hash.Val()
	s := decodeState(values)
	if s == nil {
		return nil, 0, nil
	}
	s.StoredAt = parseNumber(values[1])
	return s, max(0, clock.Val().Sub(time.UnixMilli(s.StoredAt))), nil
}

// decodeState returns nil if the session is unknown, or if a newer proxy wrote its state.
func decodeState(values []any) *session.State {
	if values[totalsField] == nil {
		return nil
	}
	s := &session.State{}
	if text, ok := values[0].(string); ok {
		var err error
		if s, err = session.Decode([]byte(text)); err != nil {
			return nil
		}
	}
	for i, n := range s.Totals.All() {
		*n = parseNumber(values[totalsField+i])
	}
	return s
}

func parseNumber(v any) int64 {
	text, _ := v.(string)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Save writes a batch in one round trip, or in two if Redis has not cached the script. It returns
// how many sessions have a value that Redis cannot change, such as a total that would overflow.
func (r *Redis) Save(ctx context.Context, b sessionkeeper.Batch) (rejected int, err error) {
	keys := make([]string, 0, 1+len(b.Changes))
	keys = append(keys, r.tag+writerPrefix+b.Writer)
	args := make([]any, 0, 2+len(b.Changes)*(totalsField+len(fields)))
	args = append(args, b.Number, sessionkeeper.BatchLifetime.Milliseconds())
	for i := range b.Changes {
		c := &b.Changes[i]
		keys, args = append(keys, r.key(c.Account, c.Key)), appendArgs(args, c, b.Now)
	}
	rejected, err = r.script.Run(ctx, r.client, keys, args...).Int()
	if err != nil {
		return 0, fmt.Errorf("sessions: %w", err)
	}
	return rejected, nil
}

// appendArgs appends the arguments of a change. Redis gets durations instead of times, because
// its clock is another one.
func appendArgs(args []any, c *sessionkeeper.Change, now time.Time) []any {
	var state []byte
	if c.IsTurn {
		state = c.State.AppendBinary(nil)
	}
	args = append(args, max(1, c.State.Expires-now.UnixMilli()), max(0, now.UnixMilli()-c.State.LastAt), state)
	for _, n := range c.Added.All() {
		args = append(args, *n)
	}
	return args
}
