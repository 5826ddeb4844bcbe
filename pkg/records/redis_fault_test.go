package records_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

func TestALostRedisIsFilledAgain(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 3)))
	r.ack(r.next(s))
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 4, 6)))
	inHand := r.next(s)
	r.do("FLUSHALL")
	require.Empty(t, r.committed(p, prodA))
	r.ack(inHand)
	require.Equal(t, []records.Range{{First: 4, Last: 6}}, r.committed(p, prodA), "the store holds it whatever Redis lost")
	// No source has created the group when the entries arrive.
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 3)))
	b := r.next(s)
	require.Equal(t, numbered(prodA, 1, 3), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 6}}, r.committed(p, prodA))
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
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 1)))
	require.Equal(t, numbered(prodA, 1, 1), (<-got).Entries)
	require.NoError(t, <-failed)
}

// A Redis without persistence restarts empty and breaks connections.
func TestARestartedRedisIsFilledAgain(t *testing.T) {
	again, err := testenv.StartRedis()
	require.NoError(t, err)
	t.Cleanup(again.Stop)
	again.KeepRunning()
	r := connect(t, again.URL)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 3)))
	require.NoError(t, p.ReportState(r.ctx, records.ProducerState{Producer: prodA, Written: 3, At: time.Now()}))
	inHand := r.next(s)
	require.NoError(t, syscall.Kill(again.PID(), syscall.SIGKILL))
	require.Eventually(t, func() bool { return r.raw.Ping(r.ctx).Err() == nil }, patience, time.Millisecond)
	require.Eventually(t, func() bool {
		states, err := s.ProducerStates(r.ctx)
		return err == nil && len(states) == 0
	}, patience, time.Millisecond)
	require.Empty(t, r.committed(p, prodA))
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 4)))
	r.ack(inHand)
	b := r.next(s)
	require.Equal(t, numbered(prodA, 1, 4), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 4}}, r.committed(p, prodA))
}

// An error does not mean that nothing was written.
func TestAStoppedRedisHoldsNobodyUp(t *testing.T) {
	r := startRedis(t)
	hasty, patient := r.publisherOf(records.RedisPublisherConfig{Timeout: soon}), r.publisherOf(records.RedisPublisherConfig{Timeout: forever})
	s := r.sourceOf(records.RedisSourceConfig{Consumer: "one", Timeout: forever})
	_, _ = hasty.CommittedRanges(r.ctx, prodA) // connects; may time out on a busy machine
	require.Empty(t, r.committed(patient, prodA), "connected before Redis stops")
	resume := r.stop()
	require.Error(t, hasty.Publish(r.ctx, numbered(prodA, 1, 2)))
	short, cancel := context.WithTimeout(r.ctx, soon)
	defer cancel()
	require.Error(t, patient.Publish(short, numbered(prodA, 1, 2)))
	_, err := s.Next(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = patient.CommittedRanges(short, prodA)
	require.Error(t, err)
	require.Error(t, patient.Check(short))

	resume()
	require.NoError(t, patient.Publish(r.ctx, numbered(prodA, 1, 2)))
	var copies int
	for r.raw.XLen(r.ctx, stream).Val() > 0 {
		b := r.next(s)
		copies += len(b.Entries)
		r.ack(b)
	}
	require.GreaterOrEqual(t, copies, 2)
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, r.committed(patient, prodA))
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
			batch := numbered(prodA, 1, 4000)
			noise := rand.NewChaCha8([32]byte{1})
			for i := range batch {
				batch[i].Record = make([]byte, 1<<10)
				_, _ = noise.Read(batch[i].Record)
			}
			require.NoError(t, p.Publish(r.ctx, batch))
			r.do("CONFIG", "SET", "maxmemory", r.info("used_memory")-1<<20)
			require.ErrorContains(t, p.Publish(r.ctx, numbered(prodA, 4001, 4001)), "maxmemory")

			for r.raw.XLen(r.ctx, stream).Val() > 0 {
				b := r.next(s)
				_ = b.Ack(r.ctx, ranges(b.Entries)) // fails until there is room for the proof
			}
			require.Equal(t, []records.Range{{First: 1, Last: 4000}}, r.committed(p, prodA))
			require.NoError(t, p.Publish(r.ctx, numbered(prodA, 4001, 4001)))
		})
	}
}

func TestAProofThatFailsGoesWithTheNext(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 2)))
	b := r.next(s)
	r.do("CONFIG", "SET", "maxmemory", "1")
	require.Error(t, b.Ack(r.ctx, ranges(b.Entries)))
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val(), "what is stored makes room")
	require.Empty(t, r.committed(p, prodA))
	r.do("CONFIG", "SET", "maxmemory", "0")
	require.NoError(t, p.Publish(r.ctx, numbered(prodB, 1, 1)))
	r.ack(r.next(s))
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, r.committed(p, prodA))
}

// stop suspends the server: connections stay open, but nothing responds.
func (r *server) stop() (resume func()) {
	r.t.Helper()
	pid := r.info("process_id")
	require.NoError(r.t, syscall.Kill(pid, syscall.SIGSTOP))
	return func() { require.NoError(r.t, syscall.Kill(pid, syscall.SIGCONT)) }
}

// info returns a number from the server's INFO.
func (r *server) info(name string) int {
	r.t.Helper()
	_, after, found := strings.Cut(r.raw.Info(r.ctx).Val(), "\n"+name+":")
	require.True(r.t, found)
	text, _, _ := strings.Cut(after, "\r")
	n, err := strconv.Atoi(text)
	require.NoError(r.t, err)
	return n
}

// Redis cannot bound a response by bytes; a batch must still fit into a ledger's memory.
func TestBatchesOfBigEntriesAreSmall(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("source")
	big := numbered(prodA, 1, 64)
	for i := range big {
		big[i].Record = make([]byte, 1<<20)
	}
	for i := 0; i < len(big); i += 8 {
		require.NoError(t, p.Publish(r.ctx, big[i:i+8]))
	}
	for got := 0; got < len(big); {
		b := r.next(s)
		require.LessOrEqual(t, len(b.Entries), 4)
		got += len(b.Entries)
		r.ack(b)
	}
}
