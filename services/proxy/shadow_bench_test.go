//go:build bench

package proxy_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/signalbox/signalbox/services/proxy"
)

// TestClientsBesideExperiments prints the p99 of served requests with every request sampled,
// relative to the p99 without experiments: the median of five pairs of runs. It runs with
// make bench-shadow.
func TestClientsBesideExperiments(t *testing.T) {
	with, without := newExperimentRig(t, "large", "judge", "1000"), newUnsampledRig(t)
	var ratios []float64
	for range 5 {
		base, loaded := p99(without), p99(with)
		ratios = append(ratios, float64(loaded)/float64(base))
		t.Logf("p99 without experiments %v, with %v: %.2f", base, loaded, ratios[len(ratios)-1])
	}
	slices.Sort(ratios)
	t.Logf("median %.2f, comparisons %d, dropped %v", ratios[2], len(with.vendor.calls("up-large")), with.svc.DroppedSamples())
}

func newUnsampledRig(t *testing.T) *experimentRig {
	x := newExperimentRig(t, "large", "judge", "1000")
	x.stop()
	x.cfg = proxy.Config{Data: t.TempDir(), DecideTimeout: patience, MaxBody: 1 << 20, CaptureBytes: 64 << 10, DrainLimit: time.Second}
	x.start()
	return x
}

// p99 sends 200 requests per second for ten seconds.
func p99(x *experimentRig) time.Duration {
	go func() { // the ledger stores what arrives
		for {
			b, err := x.carrier.Next(x.t.Context())
			if err != nil {
				return
			}
			x.ack(b)
		}
	}()
	var mu sync.Mutex
	var all []time.Duration
	var running sync.WaitGroup
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for range 2000 {
		<-tick.C
		running.Go(func() {
			r, _ := http.NewRequest(http.MethodPost, x.server.URL+chatPath, strings.NewReader(autoChat))
			r.Header.Set("Authorization", "Bearer "+x.key)
			began := time.Now()
			res, err := client.Do(r)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			all = append(all, time.Since(began))
		})
	}
	running.Wait()
	slices.Sort(all)
	return all[len(all)*99/100]
}
