package records_test

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func TestALostRedisIsFilledAgain(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered("a", 1, 3)))
	r.ack(r.next(s))
	require.NoError(t, p.Publish(r.ctx, numbered("a", 4, 6)))
	inHand := r.next(s)
	r.do("FLUSHALL")
	require.Empty(t, r.committed(p, "a"))
	r.ack(inHand)
	require.Equal(t, []records.Range{{First: 4, Last: 6}}, r.committed(p, "a"), "the store holds it whatever Redis lost")
	// Nobody is there to make the group when the entries come.
	require.NoError(t, p.Publish(r.ctx, numbered("a", 1, 3)))
	b := r.next(s)
	require.Equal(t, numbered("a", 1, 3), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 6}}, r.committed(p, "a"))
}

func TestRedisMayLoseItsDataWhileSomebodyWaits(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	got := make(chan records.Batch, 1)
	failed := make(chan error, 1)
	go func() {
		b, err := s.Next(r.ctx)
		got <- b
		failed <- err
	}()
	require.Eventually(t, func() bool { return r.info("blocked_clients") == 1 }, patience, time.Millisecond)
	r.do("FLUSHALL")
	require.NoError(t, p.Publish(r.ctx, numbered("a", 1, 1)))
	require.Equal(t, numbered("a", 1, 1), (<-got).Entries)
	require.NoError(t, <-failed)
}

// An error does not mean that nothing was written.
func TestAStoppedRedisHoldsNobodyUp(t *testing.T) {
	r := startRedis(t)
	hasty, patient := r.publisherOf(records.RedisConfig{Timeout: soon}), r.publisherOf(records.RedisConfig{Timeout: forever})
	s := r.sourceOf(records.RedisSourceConfig{Consumer: "one", Timeout: forever})
	for _, p := range []*records.Redis{hasty, patient} {
		require.Empty(t, r.committed(p, "a"), "connected before Redis stops")
	}
	resume := r.stop()
	require.Error(t, hasty.Publish(r.ctx, numbered("a", 1, 2)))
	short, cancel := context.WithTimeout(r.ctx, soon)
	defer cancel()
	require.Error(t, patient.Publish(short, numbered("a", 1, 2)))
	_, err := s.Next(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = patient.Committed(short, "a")
	require.Error(t, err)
	require.Error(t, patient.Check(short))

	resume()
	require.NoError(t, hasty.Publish(r.ctx, numbered("a", 1, 2)))
	var copies int
	for r.raw.XLen(r.ctx, stream).Val() > 0 {
		b := r.next(s)
		copies += len(b.Entries)
		r.ack(b)
	}
	require.GreaterOrEqual(t, copies, 2)
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, r.committed(hasty, "a"))
}

func TestNextEndsWithItsDeadline(t *testing.T) {
	r := startRedis(t)
	short, cancel := context.WithTimeout(r.ctx, soon)
	defer cancel()
	s := r.sourceOf(records.RedisSourceConfig{Consumer: "one", Timeout: forever})
	_, err := s.Next(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAFullRedisIsEmptiedAgain(t *testing.T) {
	for name, group := range map[string]bool{"with a group": true, "that makes no group": false} {
		t.Run(name, func(t *testing.T) {
			r := startRedis(t)
			p, s := r.publisher(), r.source("one")
			if group {
				r.do("XGROUP", "CREATE", stream, "ledger", "0", "MKSTREAM")
			}
			batch := numbered("a", 1, 4000)
			for i := range batch {
				batch[i].Record = bytes.Repeat([]byte("x"), 1<<10)
			}
			require.NoError(t, p.Publish(r.ctx, batch))
			r.do("CONFIG", "SET", "maxmemory", r.info("used_memory")-1<<20)
			require.ErrorContains(t, p.Publish(r.ctx, numbered("a", 4001, 4001)), "maxmemory")

			for r.raw.XLen(r.ctx, stream).Val() > 0 {
				b := r.next(s)
				_ = b.Ack(r.ctx, ranges(b.Entries)) // fails until there is room for the proof
			}
			require.Equal(t, []records.Range{{First: 1, Last: 4000}}, r.committed(p, "a"))
			require.NoError(t, p.Publish(r.ctx, numbered("a", 4001, 4001)))
		})
	}
}

func TestAProofThatFailsGoesWithTheNext(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered("a", 1, 2)))
	b := r.next(s)
	r.do("CONFIG", "SET", "maxmemory", "1")
	require.Error(t, b.Ack(r.ctx, ranges(b.Entries)))
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val(), "what is stored makes room")
	require.Empty(t, r.committed(p, "a"))
	r.do("CONFIG", "SET", "maxmemory", "0")
	require.NoError(t, p.Publish(r.ctx, numbered("b", 1, 1)))
	r.ack(r.next(s))
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, r.committed(p, "a"))
}

// stop stops the server as a debugger does: connections stay, nothing answers.
func (r *server) stop() (resume func()) {
	r.t.Helper()
	pid := r.info("process_id")
	require.NoError(r.t, syscall.Kill(pid, syscall.SIGSTOP))
	return func() { require.NoError(r.t, syscall.Kill(pid, syscall.SIGCONT)) }
}

// info is a number that the server tells about itself.
func (r *server) info(name string) int {
	r.t.Helper()
	_, after, found := strings.Cut(r.raw.Info(r.ctx).Val(), "\n"+name+":")
	require.True(r.t, found)
	text, _, _ := strings.Cut(after, "\r")
	n, err := strconv.Atoi(text)
	require.NoError(r.t, err)
	return n
}

// Redis cannot bound an answer by its bytes, so a batch must not be asked for
// that cannot be held, or does not arrive in time for ever.
func TestBatchesOfBigEntriesAreSmall(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("source")
	big := numbered("big", 1, 64)
	for i := range big {
		big[i].Record = make([]byte, 1<<20)
	}
	for i := 0; i < len(big); i += 8 {
		require.NoError(t, p.Publish(r.ctx, big[i:i+8]))
	}
	most := 0
	for got := 0; got < len(big); {
		b := r.next(s)
		if got >= 32 { // it has had time to learn
			most = max(most, len(b.Entries))
		}
		got += len(b.Entries)
		r.ack(b)
	}
	require.LessOrEqual(t, most, 8)
}
