// Package sessionredis stores the states of sessions in Redis, for several proxies. A session
// is one hash, which expires on its own. It holds the state of the last turn and the totals. A
// script adds to the totals, so that proxies do not overwrite each other. The package
// implements sessionkeeper.Shared; package sessionkeeper decides when it is called.
package sessionredis

import (
	"context"
	_ "embed" // script
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

//go:embed save.lua
var saveScript string

const (
	keyPrefix = "signalbox:session:"
	// dialTimeout and callTimeout limit calls without an earlier deadline.
	dialTimeout = time.Second
	callTimeout = time.Second
	// maxConns limits the connections. Every read uses one for a fraction of a millisecond.
	// idleConns stay open, because a read has no time to connect.
	maxConns, idleConns = 16, 2
)

// fields are the fields of a hash: the state, and the totals in the order of the script.
var fields = []string{"state", "requests", "turns", "cost", "saved", "input", "cached"}

// Redis implements sessionkeeper.Shared. It is safe for concurrent use.
type Redis struct {
	client *redis.Client
	script *redis.Script
}

// Open prepares a client without waiting for a connection, so it fails only if the URL is
// invalid. The client has its own connections, so that a slow read delays no other call.
func Open(url string) (*Redis, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		// The cause would contain the URL, which may contain the password.
		return nil, errors.New("sessions: invalid Redis URL; use redis://user:password@host:6379/0")
	}
	o.DialTimeout, o.DialerRetries = dialTimeout, 1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = callTimeout, callTimeout, callTimeout
	o.ContextTimeoutEnabled = true // otherwise go-redis ignores the deadlines of callers
	o.MaxRetries = -1              // a failed write may have taken effect, so it is not repeated
	o.PoolSize, o.MaxActiveConns, o.PipelinePoolSize, o.MinIdleConns = maxConns, maxConns, maxConns, idleConns
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Redis{client: redis.NewClient(o), script: redis.NewScript(saveScript)}, nil
}

// Close closes the connections.
func (r *Redis) Close() error { return r.client.Close() }

func redisKey(account string, key session.Key) string {
	return keyPrefix + account + ":" + key.String()
}

// Load returns the state of a session, or nil if it is unknown.
func (r *Redis) Load(ctx context.Context, account string, key session.Key) (*session.State, error) {
	values, err := r.client.HMGet(ctx, redisKey(account, key), fields...).Result()
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	if values[1] == nil {
		return nil, nil //nolint:nilnil // an unknown session is no error
	}
	s := &session.State{}
	if text, ok := values[0].(string); ok {
		if s, err = session.Decode([]byte(text)); err != nil {
			return nil, nil //nolint:nilerr,nilnil // a newer proxy wrote it: the session is unknown to this one
		}
	}
	for i, n := range s.Totals.All() {
		*n = parseNumber(values[i+1])
	}
	if s.Expires == 0 { // only side calls so far
		s.Expires = time.Now().Add(session.IdleLifetime).UnixMilli()
	}
	return s, nil
}

func parseNumber(v any) int64 {
	text, _ := v.(string)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Save applies all changes in one round trip, or in two if Redis has not cached the script.
func (r *Redis) Save(ctx context.Context, changes []sessionkeeper.Change) error {
	err := r.saveWith(ctx, changes, r.script.EvalSha)
	if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
		err = r.saveWith(ctx, changes, r.script.Eval)
	}
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	return nil
}

type evaluate func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd

func (r *Redis) saveWith(ctx context.Context, changes []sessionkeeper.Change, run evaluate) error {
	p := r.client.Pipeline()
	now := time.Now()
	for i := range changes {
		c := &changes[i]
		run(ctx, p, []string{redisKey(c.Account, c.Key)}, scriptArgs(c, now)...)
	}
	_, err := p.Exec(ctx)
	return err
}

func scriptArgs(c *sessionkeeper.Change, now time.Time) []any {
	var state []byte
	if c.IsTurn {
		state = c.State.AppendBinary(nil)
	}
	args := []any{max(1, c.State.Expires-now.UnixMilli()), c.State.LastAt, state}
	for _, n := range c.Added.All() {
		args = append(args, *n)
	}
	return args
}
