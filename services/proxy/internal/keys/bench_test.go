package keys

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// roomy returns for every key a principal of a usual size.
type roomy struct{ made int }

func (r *roomy) Verify(context.Context, apikey.Digest) (*Principal, error) {
	r.made++
	id := strconv.Itoa(r.made)
	return &Principal{
		AccountID: "acc_0197a2b3c4d5e6f7a8b9c0d1e2f3" + id, KeyID: "key_0197a2b3c4d5e6f7a8b9c0d1e2f3" + id,
		KeyName: "production " + id, Active: true, Scopes: []string{"chat"}, Tags: []string{"team"}, Version: 1,
	}, nil
}

func BenchmarkVerifyWarm(b *testing.B) {
	c, key := NewCache(&roomy{}, time.Now), apikey.New()
	c.PushReached(1)
	for b.Loop() {
		if _, err := c.Resolve(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyWarmParallel(b *testing.B) {
	c, key := NewCache(&roomy{}, time.Now), apikey.New()
	c.PushReached(1)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Resolve(b.Context(), key); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkVerifyCacheFull fills a cache to its limit and reports the memory per key.
func BenchmarkVerifyCacheFull(b *testing.B) {
	for b.Loop() {
		before := heap()
		c := NewCache(&roomy{}, time.Now)
		for range maxEntries {
			if _, err := c.Resolve(b.Context(), apikey.New()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/maxEntries, "bytes/key")
		runtime.KeepAlive(c)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The lookup of every request must not allocate.
func TestResolvingAKnownKeyAllocatesNothing(t *testing.T) {
	c, key := NewCache(&roomy{}, time.Now), apikey.New()
	c.PushReached(1)
	resolves(t, c, key)
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { _, _ = c.Resolve(ctx, key) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
