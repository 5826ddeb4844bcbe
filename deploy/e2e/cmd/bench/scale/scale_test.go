package scale

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// uniform returns a deployment whose components all cost the same per request, per batch and when idle.
func uniform(n int) *figures {
	const perRequest, perBatch, idle = 100e-6, 0, 0.01
	load := func(requests, batches float64) window {
		w := window{seconds: 4, requests: int(requests), perSecond: requests / 3, batches: batches, cpu: map[string]float64{}}
		for _, name := range components {
			w.cpu[name] = idle*4 + perRequest*requests + perBatch*batches
		}
		return w
	}
	f := &figures{proxies: n, connections: map[string]int{router: 2 + n, keyauth: 2 + n, redis: 3 + 4*n, postgres: 9}}
	f.idle = load(0, 0)
	f.keys = load(0, 0)
	for name := range f.keys.cpu {
		f.keys.cpu[name] += keyCount * 0.001
	}
	f.steady = []window{load(1500*float64(n), 30), load(1500*float64(n), 30)}
	f.full = []window{load(6000, 20)}
	return f
}

func TestFitCosts(t *testing.T) {
	all := []*figures{uniform(1), uniform(2), uniform(4)}
	c := fitCosts(all, router, all[0].steady, all[0].full)
	require.InDelta(t, 100e-6, c.perRequest, 1e-9)
	require.Zero(t, c.perBatch)
	require.InDelta(t, 0.01, c.idle.At(100), 1e-9)
	require.InDelta(t, 0.001, c.perKey.At(1), 1e-9)
	require.InDelta(t, all[2].steady[0].cpu[router], c.predictCPU(4, all[2].steady[0]), 1e-9)
}

func TestFitCostsOfBatches(t *testing.T) {
	all := []*figures{uniform(1)}
	for _, windows := range [][]window{all[0].steady, all[0].full} {
		for _, w := range windows {
			w.cpu[postgres] += 0.002 * w.batches
		}
	}
	c := fitCosts(all, postgres, all[0].steady, all[0].full)
	require.InDelta(t, 100e-6, c.perRequest, 1e-9)
	require.InDelta(t, 0.002, c.perBatch, 1e-9)
}

// A component that was busier without requests, for example with a vacuum, costs nothing, not less.
func TestFitCostsAreNeverNegative(t *testing.T) {
	all := []*figures{uniform(1), uniform(2)}
	all[0].idle.cpu[postgres] = 3
	c := fitCosts(all, postgres, all[0].steady, all[0].full)
	require.GreaterOrEqual(t, c.perRequest, 0.0)
	require.GreaterOrEqual(t, c.perBatch, 0.0)
	require.GreaterOrEqual(t, c.idle.At(100), 0.0)
}

func TestPredictThroughput(t *testing.T) {
	all := []*figures{uniform(1)}
	// One proxy has one core; nine components share all cores.
	require.LessOrEqual(t, predictThroughput(all, 1), 1/100e-6+1)
	require.InDelta(t, predictThroughput(all, 100), predictThroughput(all, 200), 1e-6)
}

func TestPrintReport(t *testing.T) {
	all := []*figures{uniform(1), uniform(2), uniform(4)}
	for i := range all[2].steady {
		all[2].steady[i].cpu[proxies] *= 1.5
	}
	var out bytes.Buffer
	printReport(&out, all)
	require.Regexp(t, `(?m)^ *1 +500 +7,895 +7,895-7,895 +1.00 +met `, out.String())
	require.Regexp(t, `(?m)^ *4 +2,000 .* 0.79 +NOT met `, out.String())
	require.Regexp(t, `(?m)^ *router +126.7 +113.3 +113.3 +1.00 +106.7 +106.7 +1.00 *$`, out.String())
	require.Regexp(t, `(?m)^ *proxies +126.7 .* 1.50 *$`, out.String())
	// 7,000 requests/s per proxy with 100 µs each: one core is busy for 70 %, and for 1 % without requests.
	require.Regexp(t, `(?m)^ *1 +7,000 +router +71 +\d+ µs +2 +\d+ µs +3 *$`, out.String())
	require.Regexp(t, `(?m)^ *100 +700,000 +redis +7001 +overloaded +1\* +overloaded +403 *$`, out.String())
	require.Contains(t, out.String(), "the first is ingest.")
}

func TestParseCounts(t *testing.T) {
	counts, err := parseCounts("1,2,4")
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 4}, counts)
	for _, list := range []string{"", "2,4", "1,x", "1,0"} {
		_, err := parseCounts(list)
		require.Error(t, err, list)
	}
}
