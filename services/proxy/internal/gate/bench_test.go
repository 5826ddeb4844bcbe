package gate

import (
	"strconv"
	"testing"
	"time"
)

// BenchmarkRequest measures the cost of the gate per request: acquire a slot,
// reserve bytes, release both.
func BenchmarkRequest(b *testing.B) {
	g := New(Limits{Requests: 4096, Bytes: 256 << 20, Queue: 128, Wait: 15 * time.Millisecond})
	var all []Caller
	for i := range 64 {
		all = append(all, Caller{Account: "account " + strconv.Itoa(i), Key: "key", Now: time.Now()})
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			p, err := g.Acquire(b.Context(), all[i%len(all)])
			if err != nil || p.ReserveBytes(4096) != nil {
				b.Error("refused")
				return
			}
			p.Release()
		}
	})
}
