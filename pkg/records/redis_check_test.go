package records_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func TestRedisIsChecked(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Check(r.ctx), "new")
	require.NoError(t, p.Publish(r.ctx, numbered("a", 1, 1)))
	require.NoError(t, s.Check(r.ctx), "in use")

	r.do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	require.ErrorContains(t, p.Check(r.ctx), "noeviction")
	require.ErrorContains(t, s.Check(r.ctx), "allkeys-lru")
	r.do("CONFIG", "SET", "maxmemory-policy", "noeviction")
	require.NoError(t, p.Check(r.ctx))

	away, err := records.NewRedis("redis://127.0.0.1:1", records.RedisConfig{})
	require.NoError(t, err, "Redis may come later")
	require.Error(t, away.Check(r.ctx))
	require.NoError(t, away.Close())
}

func TestTheEvictionPolicyIsFoundWhereCommandsAreBarred(t *testing.T) {
	tests := []struct {
		name  string
		rules []any
		want  bool
	}{
		{"no CONFIG", []any{"-config"}, true},
		{"no INFO", []any{"-info"}, true},
		{"neither", []any{"-config", "-info"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := startRedis(t)
			r.do(append([]any{"ACL", "SETUSER", "app", "on", ">sesame", "~*", "+@all"}, tt.rules...)...)
			p, err := records.NewRedis(r.as("app", "sesame"), records.RedisConfig{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, p.Close()) })
			require.Equal(t, tt.want, p.Check(r.ctx) == nil)
			r.do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
			require.Error(t, p.Check(r.ctx))
		})
	}
}

func TestAKeyOfAnotherTypeIsReported(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.do("SET", stream, "something else")
	require.ErrorContains(t, p.Publish(r.ctx, numbered("a", 1, 1)), "in use for something else")
	_, err := s.Next(r.ctx)
	require.ErrorContains(t, err, "in use for something else")
	require.ErrorContains(t, p.Check(r.ctx), "holds a string, not a stream")
}
