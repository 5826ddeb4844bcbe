package records_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func TestRedisIsChecked(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Check(r.ctx), "new")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 1)))
	require.NoError(t, s.Check(r.ctx), "in use")

	r.do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	require.ErrorContains(t, p.Check(r.ctx), "noeviction")
	require.ErrorContains(t, s.Check(r.ctx), "allkeys-lru")
	r.do("CONFIG", "SET", "maxmemory-policy", "noeviction")
	require.NoError(t, p.Check(r.ctx))

	away, err := records.NewRedisPublisher("redis://127.0.0.1:1", records.RedisPublisherConfig{})
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
			p, err := records.NewRedisPublisher(r.as("app", "sesame"), records.RedisPublisherConfig{})
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
	require.ErrorContains(t, p.Publish(r.ctx, numbered(prodA, 1, 1)), "has an unexpected type")
	_, err := s.Next(r.ctx)
	require.ErrorContains(t, err, "has an unexpected type")
	require.ErrorContains(t, p.Check(r.ctx), "has type string, but must be a stream")
}

func TestAStatesKeyOfAnotherTypeIsReported(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.do("SET", "signalbox:producers", "something else")
	require.ErrorContains(t, p.ReportState(r.ctx, records.ProducerState{Producer: prodA}), "has an unexpected type")
	_, err := s.ProducerStates(r.ctx)
	require.ErrorContains(t, err, "has an unexpected type")
	for _, check := range []func(context.Context) error{p.Check, s.Check} {
		require.ErrorContains(t, check(r.ctx), "has type string, but must be a hash")
	}
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 1)), "records are carried all the same")
}

// The keys of committed ranges are unknown before they are read.
func TestAProofKeyOfAnotherTypeIsReported(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.do("LPUSH", "signalbox:committed:"+prodA, "1-5")
	require.NoError(t, p.Check(r.ctx))
	_, err := p.CommittedRanges(r.ctx, prodA)
	require.Error(t, err)
	require.Empty(t, r.committed(p, prodB))
	require.ErrorContains(t, p.Check(r.ctx), "has an unexpected type")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 1)))
	r.ack(r.next(s))
	require.NotEmpty(t, r.committed(p, prodA))
	require.NoError(t, p.Check(r.ctx), "the proof has replaced it")
}

func TestStatesThatAreOldOrUnreadableGo(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	old := records.ProducerState{Producer: prodB, Written: 3, At: time.Now().Add(-48 * time.Hour).UTC()}
	require.NoError(t, p.ReportState(r.ctx, old))
	r.do("HSET", "signalbox:producers", "odd", "{")
	got, err := s.ProducerStates(r.ctx)
	require.NoError(t, err)
	require.Equal(t, []records.ProducerState{old}, got, "the state is returned once more")
	require.Zero(t, r.raw.HLen(r.ctx, "signalbox:producers").Val())
}
