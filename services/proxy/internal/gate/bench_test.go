package gate

import (
	"strconv"
	"testing"
	"time"
)

// BenchmarkRequest is what the gate costs a request: in, memory for its body,
// out.
func BenchmarkRequest(b *testing.B) {
	g := New(Limits{Requests: 4096, Bytes: 256 << 20, Queue: 128, Wait: 15 * time.Millisecond})
	var all []Who
	for i := range 64 {
		all = append(all, Who{Account: "account " + strconv.Itoa(i), Key: "key", Now: time.Now()})
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			p, err := g.Enter(b.Context(), all[i%len(all)])
			if err != nil || p.Reserve(4096) != nil {
				b.Error("refused")
				return
			}
			p.Leave()
		}
	})
}
