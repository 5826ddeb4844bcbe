package records_test

import (
	"bytes"
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// The spool publishes at most this many at once.
const benchBatch = 200

func BenchmarkRedisPublish(b *testing.B) {
	r := startRedis(b)
	p, batch := r.publisher(), kilobytes()
	measure(b, func() {
		require.NoError(b, r.raw.Del(context.Background(), stream).Err())
	}, func() {
		require.NoError(b, p.Publish(context.Background(), batch))
	})
}

func BenchmarkRedisConsume(b *testing.B) {
	r := startRedis(b)
	p, s, batch := r.publisher(), r.source("one"), kilobytes()
	committed := ranges(batch)
	measure(b, func() {
		require.NoError(b, p.Publish(context.Background(), batch))
	}, func() {
		got, err := s.Next(context.Background())
		require.NoError(b, err)
		require.Len(b, got.Entries, benchBatch)
		require.NoError(b, got.Ack(context.Background(), committed))
	})
}

// measure reports what the step takes for each record, of this process's
// processor time too, which is what a proxy or a ledger spends.
func measure(b *testing.B, prepare, step func()) {
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		prepare()
		before := cpuTime(b)
		b.StartTimer()
		step()
		cpu += cpuTime(b) - before
	}
	n := float64(b.N * benchBatch)
	b.ReportMetric(n/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Microseconds())/n, "cpu-us/record")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func kilobytes() []records.Entry {
	batch := numbered("proxy", 1, benchBatch)
	for i := range batch {
		batch[i].Record = bytes.Repeat([]byte("r"), 1<<10)
	}
	return batch
}
