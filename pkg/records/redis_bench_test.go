package records_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// load is a kind of records, and how many of them a spool publishes at once.
type load struct {
	name  string
	text  int
	batch int
}

// loads are metadata alone, a chat of 2 KB with a response of 1 KB, and a long chat. A proxy at
// a few hundred requests per second publishes about 20 records at once; a spool that catches
// up publishes 200.
var loads = []load{
	{"metadata", 0, 200},
	{"chat", 3 << 10, 20},
	{"chat", 3 << 10, 200},
	{"long chat", 11 << 10, 20},
}

func BenchmarkRedisPublish(b *testing.B) {
	for _, l := range loads {
		b.Run(fmt.Sprintf("%s/%d at once", l.name, l.batch), func(b *testing.B) {
			r := startRedis(b)
			p, batch := r.publisher(), l.entries()
			measureBlock(b, l.batch, func() { r.do("DEL", stream) }, func() {
				require.NoError(b, p.Publish(context.Background(), batch))
			})
		})
	}
}

// During an outage of the ledger, records are compressed.
func BenchmarkRedisPublishWithoutLedger(b *testing.B) {
	for _, l := range loads {
		b.Run(fmt.Sprintf("%s/%d at once", l.name, l.batch), func(b *testing.B) {
			r := startRedis(b)
			p, batch := r.publisher(), l.entries()
			r.alone(p, numbered(prodA, 1, 502))
			measureBlock(b, l.batch, func() { r.do("XTRIM", stream, "MAXLEN", 502) }, func() {
				require.NoError(b, p.Publish(context.Background(), batch))
			})
		})
	}
}

// The cost for a ledger to fetch and acknowledge records, without storing them.
func BenchmarkRedisConsume(b *testing.B) {
	for _, l := range loads {
		b.Run(fmt.Sprintf("%s/%d at once", l.name, l.batch), func(b *testing.B) {
			r := startRedis(b)
			p, s, batch := r.publisher(), r.source("one"), l.entries()
			committed := ranges(batch)
			measureBlock(b, l.batch, func() {
				require.NoError(b, p.Publish(context.Background(), batch))
			}, func() {
				got, err := s.Next(context.Background())
				require.NoError(b, err)
				if len(got.Entries) != l.batch {
					b.Fatal(len(got.Entries), "entries")
				}
				require.NoError(b, got.Ack(context.Background(), committed))
			})
		})
	}
}

// measureBlock reports what the step takes for each record, of this process's
// processor time too, which is what a proxy or a ledger spends.
func measureBlock(b *testing.B, batch int, prepare, step func()) {
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		prepare()
		before := cpuTime(b)
		b.StartTimer()
		step()
		cpu += cpuTime(b) - before
	}
	n := float64(b.N * batch)
	b.ReportMetric(n/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Nanoseconds())/1000/n, "cpu-us/record")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// entries have similar metadata and different texts.
func (l load) entries() []records.Entry {
	common := strings.Repeat("account key model provider route reason candidate verdict ", 13)
	vocabulary := strings.Fields("the a of to and in that is was for on with as by at from this which or an be are were has had not but " +
		"train signal lever yard track platform engine driver guard whistle tunnel bridge viaduct timetable freight passenger express " +
		"slowly quickly carefully between before after during because although while until whether please explain compare summarise")
	r := rand.New(rand.NewPCG(1, 2))
	batch := numbered("01980000-0000-7000-8000-000000000000", 1, uint64(l.batch))
	for i := range batch {
		text := fmt.Appendf(nil, "%016x%s", r.Uint64(), common)
		for end := len(text) + l.text; len(text) < end; {
			text = fmt.Appendf(text, "%s ", vocabulary[r.IntN(len(vocabulary))])
		}
		batch[i].Record = text
	}
	return batch
}
