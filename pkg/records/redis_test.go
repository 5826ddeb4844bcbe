package records_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/records/recordstest"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

const (
	stream = "signalbox:records"
	// forever is longer than any test: what ends earlier had another reason.
	forever = time.Hour
	// soon is for timeouts that should expire.
	soon = 100 * time.Millisecond
	// patience bounds waits for Redis; a healthy one needs far less.
	patience = 2 * time.Minute

	// prodA and prodB are spools of proxies.
	prodA = "0198c0de-7d5a-7000-8000-00000000000a"
	prodB = "0198c0de-7d5a-7000-8000-00000000000b"
)

func TestRedisKeepsTheContract(t *testing.T) {
	recordstest.Run(t, func(t *testing.T) (records.Publisher, records.Source) {
		r := startRedis(t)
		return r.publisher(), r.source("one")
	})
}

func TestStoredEntriesLeaveRedis(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.alone(p, numbered(prodA, 1, 450))
	for n := 0; n < 450; {
		b := r.next(s)
		require.EqualValues(t, 450-n, r.raw.XLen(r.ctx, stream).Val(), "nothing leaves before it is stored")
		r.ack(b)
		n += len(b.Entries)
	}
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val())
	require.Zero(t, r.raw.XPending(r.ctx, stream, "ledger").Val().Count)
	require.Equal(t, []records.Range{{First: 1, Last: 450}}, r.committed(p, prodA))
	require.Positive(t, r.raw.TTL(r.ctx, "signalbox:committed:"+prodA).Val(), "a dead producer's proof goes some day")
}

// A message leaves the stream before the group forgets it. If Redis dies in between, the group
// still leads to the message. In the other order, it would stay in the stream forever.
func TestAMessageIsDeletedBeforeItIsAcknowledged(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.alone(p, numbered(prodA, 1, 3))
	b := r.next(s)
	require.NoError(t, r.raw.ConfigSet(r.ctx, "slowlog-log-slower-than", "0").Err())
	r.ack(b)
	log, err := r.raw.SlowLogGet(r.ctx, -1).Result()
	require.NoError(t, err)
	var order []string
	for _, entry := range slices.Backward(log) { // the newest comes first
		if name := strings.ToLower(entry.Args[0]); name == "xdel" || name == "xack" {
			order = append(order, name)
		}
	}
	require.Equal(t, []string{"xdel", "xack"}, order)
}

func TestARestartedConsumerGoesOnAtOnce(t *testing.T) {
	r := startRedis(t)
	require.NoError(t, r.publisher().Publish(r.ctx, numbered(prodA, 1, 3)))
	lost := r.next(r.source("one"))
	require.Equal(t, lost.Entries, r.next(r.source("one")).Entries)
}

func TestADeadConsumersEntriesAreTakenOver(t *testing.T) {
	r := startRedis(t)
	r.alone(r.publisher(), numbered(prodA, 1, 1000))
	r.do("XGROUP", "CREATE", stream, "ledger", "0")
	r.do("XREADGROUP", "GROUP", "ledger", "dead", "COUNT", 900, "STREAMS", stream, ">")
	heir := r.source("heir")
	r.age("dead", 900, time.Minute)
	seen := map[uint64]int{}
	for len(seen) < 1000 {
		b := r.next(heir)
		for _, e := range b.Entries {
			seen[e.Seq]++
		}
		r.ack(b)
	}
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val())
}

func TestALivingConsumerKeepsItsEntries(t *testing.T) {
	r := startRedis(t)
	r.alone(r.publisher(), numbered(prodA, 1, 3))
	require.Len(t, r.next(r.source("one")).Entries, 3)
	r.age("one", 3, time.Second)
	short, cancel := context.WithTimeout(r.ctx, soon)
	defer cancel()
	_, err := r.source("two").Next(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestBadURLsAreRefusedWithoutShowingThem(t *testing.T) {
	for _, bad := range []string{"", "http://u:sesame@h", "redis://u:sesame@h:port", "redis://u:sesame@h:1/x", "redis://u:ses%zzame@h"} {
		_, err := records.NewRedisPublisher(bad, records.RedisPublisherConfig{})
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "ses")
	}
	_, err := records.NewRedisSource("redis://h:1", records.RedisSourceConfig{})
	require.ErrorContains(t, err, "consumer")
}

// server is a Redis of the test's own, with a client beside the code under
// test.
type server struct {
	t   testing.TB
	ctx context.Context
	url string
	raw *redis.Client
}

func startRedis(t testing.TB, args ...string) *server {
	t.Helper()
	return connect(t, testenv.Redis(t, args...))
}

func connect(t testing.TB, u string) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	o, err := redis.ParseURL(u)
	require.NoError(t, err)
	o.ContextTimeoutEnabled = true
	raw := redis.NewClient(o)
	t.Cleanup(func() { require.NoError(t, raw.Close()) })
	return &server{t, ctx, u, raw}
}

func (r *server) publisher() *records.RedisPublisher {
	return r.publisherOf(records.RedisPublisherConfig{})
}

func (r *server) publisherOf(cfg records.RedisPublisherConfig) *records.RedisPublisher {
	p, err := records.NewRedisPublisher(r.url, cfg)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, p.Close()) })
	return p
}

func (r *server) source(name string) *records.RedisSource {
	return r.sourceOf(records.RedisSourceConfig{Consumer: name})
}

func (r *server) sourceOf(cfg records.RedisSourceConfig) *records.RedisSource {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	s, err := records.NewRedisSource(r.url, cfg)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { require.NoError(r.t, s.Close()) })
	return s
}

// as returns the URL for a user of Redis.
func (r *server) as(user, password string) string {
	u, err := url.Parse(r.url)
	require.NoError(r.t, err)
	u.User = url.UserPassword(user, password)
	return u.String()
}

func (r *server) do(args ...any) {
	r.t.Helper()
	require.NoError(r.t, r.raw.Do(r.ctx, args...).Err())
}

// age makes the pending entries of the consumer look that old.
func (r *server) age(consumer string, count int64, idle time.Duration) {
	r.t.Helper()
	inHand, err := r.raw.XPendingExt(r.ctx, &redis.XPendingExtArgs{
		Stream: stream, Group: "ledger", Start: "-", End: "+", Count: count, Consumer: consumer,
	}).Result()
	require.NoError(r.t, err)
	require.Len(r.t, inHand, int(count))
	claim := []any{"XCLAIM", stream, "ledger", consumer, 0}
	for _, e := range inHand {
		claim = append(claim, e.ID)
	}
	r.do(append(claim, "IDLE", idle.Milliseconds())...)
}

// alone publishes every entry as a separate message.
func (r *server) alone(p records.Publisher, entries []records.Entry) {
	r.t.Helper()
	for _, e := range entries {
		require.NoError(r.t, p.Publish(r.ctx, []records.Entry{e}))
	}
}

func (r *server) next(s records.Source) records.Batch {
	r.t.Helper()
	b, err := s.Next(r.ctx)
	require.NoError(r.t, err)
	return b
}

func (r *server) ack(b records.Batch) {
	r.t.Helper()
	require.NoError(r.t, b.Ack(r.ctx, ranges(b.Entries)))
}

func (r *server) committed(p records.Publisher, producer string) []records.Range {
	r.t.Helper()
	got, err := p.CommittedRanges(r.ctx, producer)
	require.NoError(r.t, err)
	return got
}

func numbered(producer string, first, last uint64) []records.Entry {
	var out []records.Entry
	for seq := first; seq <= last; seq++ {
		out = append(out, records.Entry{Producer: producer, Seq: seq, Record: fmt.Appendf(nil, "%s %d", producer, seq)})
	}
	return out
}

func ranges(entries []records.Entry) map[string][]records.Range {
	out := map[string][]records.Range{}
	for _, e := range entries {
		out[e.Producer] = records.MergeRanges(append(out[e.Producer], records.Range{First: e.Seq, Last: e.Seq}))
	}
	return out
}

// The report of a proxy that died expires, and the reader removes its producer.
func TestReportsOfRunningRequestsExpire(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.ReportRunning(r.ctx, prodA, []records.RunningRequest{{Record: []byte("a")}}))
	left := r.raw.PTTL(r.ctx, "signalbox:running:"+prodA).Val()
	require.Positive(t, left)
	require.LessOrEqual(t, left, records.RunningTTL)
	require.Positive(t, r.raw.PTTL(r.ctx, "signalbox:running").Val())
	require.NoError(t, r.raw.Del(r.ctx, "signalbox:running:"+prodA).Err()) // as Redis does when it expires
	require.NoError(t, p.ReportRunning(r.ctx, prodB, []records.RunningRequest{{Record: []byte("b")}}))
	running, err := s.RunningRequests(r.ctx)
	require.NoError(t, err)
	require.Equal(t, []records.RunningRequest{{Record: []byte("b")}}, running)
	require.Equal(t, []string{prodB}, r.raw.SMembers(r.ctx, "signalbox:running").Val())
}
