//go:build bench

package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	// A run alternates slices with and without sampling, so that both see the same machine.
	benchRuns, benchSlices = 5, 8
	sliceRequests          = 300
	sliceGap               = 5 * time.Millisecond // 200 requests per second
)

// TestClientsBesideExperiments prints the p99 of served requests with every request sampled,
// relative to the p99 without experiments. Both kinds of slices use the same proxy, with a key
// of an account that takes part and one of an account that does not. The p99 of a run is over
// all its slices of a kind, and the figure is the median of the ratios of five runs. It runs
// with make bench-shadow.
func TestClientsBesideExperiments(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1000")
	x.vendor.forgets = true
	go func() { // the ledger stores what arrives
		for {
			b, err := x.carrier.Next(t.Context())
			if err != nil {
				return
			}
			x.ack(b)
		}
	}()
	sampled, plain := x.key, x.addKey(false, &keyauthv1.KeySettings{Name: "plain"})
	var ratios, shares []float64
	for range benchRuns {
		var with, without []time.Duration
		var cpu [2]float64
		for i := range benchSlices {
			// Take turns to be first, so that a trend of the machine favours neither.
			for _, first := range [2]bool{i%2 == 0, i%2 == 1} {
				began := cpuSeconds()
				if first {
					with = append(with, x.slice(sampled)...)
					x.endComparisons()
					cpu[0] += cpuSeconds() - began
				} else {
					without = append(without, x.slice(plain)...)
					cpu[1] += cpuSeconds() - began
				}
			}
		}
		base, loaded := percentile99(without), percentile99(with)
		ratios, shares = append(ratios, float64(loaded)/float64(base)), append(shares, (cpu[0]-cpu[1])/cpu[0])
		t.Logf("p99 without experiments %v, with %v: ratio %.2f; p50 %v and %v; CPU %.2f s and %.2f s: experiments take %.0f %%",
			base, loaded, ratios[len(ratios)-1], percentile(without, 50), percentile(with, 50), cpu[1], cpu[0], 100*shares[len(shares)-1])
	}
	slices.Sort(ratios)
	slices.Sort(shares)
	fmt.Printf("p99 beside experiments at full load: median ratio %.2f of %d runs (must 1.2), %.0f %% of the CPU time (emulated vendor and clients included); %d comparisons, dropped %v\n",
		ratios[benchRuns/2], benchRuns, 100*shares[benchRuns/2], x.vendor.count("up-large"), x.svc.DroppedSamples())
}

// endComparisons drops what waits, and waits for what runs, so that the next slice is without
// experiments.
func (x *experimentRig) endComparisons() {
	require.Eventually(x.t, x.svc.DropSamples, patience, 20*time.Millisecond)
}

// cpuSeconds returns the CPU time of this process, the emulated vendor and the clients included.
func cpuSeconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func percentile(all []time.Duration, p int) time.Duration {
	slices.Sort(all)
	return all[len(all)*p/100]
}

func percentile99(all []time.Duration) time.Duration { return percentile(all, 99) }

var benchClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// slice sends requests with a key, and returns their latencies.
func (x *experimentRig) slice(key string) (all []time.Duration) {
	var mu sync.Mutex
	var running sync.WaitGroup
	tick := time.NewTicker(sliceGap)
	defer tick.Stop()
	for range sliceRequests {
		<-tick.C
		running.Go(func() {
			r, _ := http.NewRequest(http.MethodPost, x.server.URL+chatPath, strings.NewReader(autoChat))
			r.Header.Set("Authorization", "Bearer "+key)
			began := time.Now()
			res, err := benchClient.Do(r)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			took := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took)
		})
	}
	running.Wait()
	return all
}

func (v *vendor) count(model string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts[model]
}
