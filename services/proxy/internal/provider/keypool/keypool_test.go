package keypool_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

func newPool(t *testing.T, weights ...int) *keypool.Pool {
	t.Helper()
	var keys []keypool.Key
	for i, w := range weights {
		keys = append(keys, keypool.Key{Name: "env:" + string(rune('A'+i)), Secret: "s", Weight: w})
	}
	p, err := keypool.New(keys...)
	require.NoError(t, err)
	return p
}

// report reports the result of a call that started now.
func report(p *keypool.Pool, key int, model string, v keypool.Result, delay time.Duration) {
	p.ReportResult(keypool.Selection{KeyIndex: key, Model: model, StartedAt: time.Now()}, v, delay)
}

// selectKeys returns the keys of n successful calls as letters, - for no key.
func selectKeys(p *keypool.Pool, model string, n int) string {
	var b strings.Builder
	for range n {
		u, ok := p.SelectKey(model, 0)
		if !ok {
			b.WriteByte('-')
			continue
		}
		b.WriteByte(byte('A' + u.KeyIndex))
		p.ReportResult(u, keypool.Accepted, 0)
	}
	return b.String()
}

func TestSelectionFollowsWeights(t *testing.T) {
	require.Equal(t, "AABACAAAABACAA", selectKeys(newPool(t, 5, 1, 1), "m", 14), "the calls of a key are spread out")
	require.Equal(t, "ABABAB", selectKeys(newPool(t, 0, 0), "m", 6))
	require.Equal(t, "AAA", selectKeys(newPool(t, 1), "m", 3))
}

func TestTriedKeysAreNotGivenAgain(t *testing.T) {
	p := newPool(t, 1, 1, 1)
	var tried keypool.KeySet
	seen := map[int]bool{}
	for range 3 {
		require.True(t, p.HasAvailableKey("m", tried))
		u, ok := p.SelectKey("m", tried)
		require.True(t, ok)
		seen[u.KeyIndex], tried = true, tried.With(u.KeyIndex)
	}
	require.Len(t, seen, 3)
	_, ok := p.SelectKey("m", tried)
	require.False(t, ok)
	require.False(t, p.HasAvailableKey("m", tried))
	report(p, 0, "m", keypool.ModelDenied, 0)
	require.False(t, p.HasAvailableKey("m", keypool.KeySet(0).With(1).With(2)), "a suspended key is not available")
	require.True(t, p.HasAvailableKey("other", keypool.KeySet(0).With(1).With(2)))
	require.False(t, newPool(t, 1).HasAvailableKey("m", keypool.KeySet(0).With(0)))
	_, ok = newPool(t, 1).SelectKey("m", keypool.KeySet(0).With(0))
	require.False(t, ok)
}

func TestRejectedKeyIsSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			report(p, 0, "m", keypool.Rejected, 0)
			require.Equal(t, []bool{true, false}, p.Suspended())
			require.Equal(t, "BB", selectKeys(p, "m", 2))
			require.Equal(t, "BB", selectKeys(p, "other", 2), "for every model")
			<-time.After(want*time.Minute - 1)
			require.Equal(t, "BB", selectKeys(p, "m", 2), "after %d minutes", want)
			<-time.After(1)
			probe(t, p, 0)
		}
		report(p, 0, "m", keypool.Accepted, 0)
		require.Equal(t, []bool{false, false}, p.Suspended())
		report(p, 0, "m", keypool.Rejected, 0)
		<-time.After(time.Minute)
		probe(t, p, 0)
	})
}

// probe selects the key once and checks that other calls do not get it meanwhile.
func probe(t *testing.T, p *keypool.Pool, key int) {
	t.Helper()
	got := map[int]int{}
	for range 4 {
		u, ok := p.SelectKey("m", 0)
		require.True(t, ok)
		got[u.KeyIndex]++
	}
	require.Equal(t, 1, got[key], "only one call probes the key")
}

func TestInconclusiveProbeIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		report(p, 0, "m", keypool.Rejected, 0)
		<-time.After(time.Minute)
		for _, v := range []keypool.Result{keypool.Inconclusive, keypool.RateLimited} {
			probe(t, p, 0)
			report(p, 0, "m", v, time.Nanosecond)
			<-time.After(time.Nanosecond)
		}
		probe(t, p, 0)
		require.Equal(t, []bool{true, false}, p.Suspended())
	})
}

func TestConcurrentRejectionsCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		for range 50 {
			report(p, 0, "m", keypool.Rejected, 0)
		}
		<-time.After(time.Minute)
		probe(t, p, 0)
	})
}

func TestModelDeniedSuspendsForModelOnly(t *testing.T) {
	p := newPool(t, 1, 1)
	report(p, 0, "big", keypool.ModelDenied, 0)
	require.Equal(t, "BB", selectKeys(p, "big", 2))
	require.Equal(t, "AB", selectKeys(p, "small", 2))
	require.Equal(t, []bool{false, false}, p.Suspended())
}

func TestRateLimitDoesNotShortenSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		report(p, 0, "m", keypool.ModelDenied, 0)
		report(p, 0, "m", keypool.RateLimited, time.Second)
		<-time.After(time.Minute - 1)
		require.Equal(t, "BB", selectKeys(p, "m", 2))
	})
}

func TestRateLimitedKeyPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		for asked, want := range map[time.Duration]time.Duration{
			0: time.Second, 7 * time.Second: 7 * time.Second, 24 * time.Hour: 5 * time.Minute,
		} {
			report(p, 0, "m", keypool.RateLimited, asked)
			require.Equal(t, []bool{false, false}, p.Suspended(), "a rate-limited key is not suspended")
			<-time.After(want - 1)
			require.Equal(t, "BB", selectKeys(p, "m", 2))
			require.Contains(t, selectKeys(p, "other", 2), "A", "limits are a model's")
			<-time.After(1)
			require.Contains(t, selectKeys(p, "m", 2), "A", "asked for %s", asked)
		}
	})
}

func TestShortPauseDoesNotShortenLongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		report(p, 0, "m", keypool.RateLimited, time.Minute)
		report(p, 0, "m", keypool.RateLimited, time.Second)
		<-time.After(time.Minute - 1)
		require.Equal(t, "BB", selectKeys(p, "m", 2))
		<-time.After(1)
		require.Contains(t, selectKeys(p, "m", 2), "A")
	})
}

// A long stream may end successfully on a key that was rejected while it ran.
func TestLateSuccessClearsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, v := range []keypool.Result{keypool.RateLimited, keypool.ModelDenied, keypool.Rejected} {
			p := newPool(t, 1, 1)
			late, ok := p.SelectKey("m", 0)
			require.True(t, ok)
			<-time.After(1)
			report(p, 0, "m", v, 10*time.Second)
			p.ReportResult(late, keypool.Accepted, 0)
			require.Equal(t, "BB", selectKeys(p, "m", 2), "verdict %d", v)
		}
	})
}

func TestLateRejectionCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		late, ok := p.SelectKey("m", 0)
		require.True(t, ok)
		<-time.After(1)
		report(p, 0, "m", keypool.Rejected, 0)
		<-time.After(time.Minute)
		probe(t, p, 0)
		p.ReportResult(late, keypool.Rejected, 0)
		p.ReportResult(late, keypool.Inconclusive, 0)
		require.Equal(t, "BB", selectKeys(p, "m", 2), "the probe is still running")
		report(p, 0, "m", keypool.Inconclusive, 0)
		probe(t, p, 0)
		report(p, 0, "m", keypool.Rejected, 0)
		<-time.After(2 * time.Minute)
		probe(t, p, 0)
	})
}

func TestInconclusiveResultKeepsKey(t *testing.T) {
	p := newPool(t, 1, 1)
	for range 10 {
		report(p, 0, "m", keypool.Inconclusive, time.Hour)
	}
	require.Contains(t, selectKeys(p, "m", 2), "A")
}

func TestTimeUntilAvailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		report(p, 0, "m", keypool.Rejected, 0)
		report(p, 1, "m", keypool.RateLimited, 7*time.Second)
		require.Equal(t, "-", selectKeys(p, "m", 1))
		wait, parked := p.TimeUntilAvailable("m", 0)
		require.Equal(t, 7*time.Second, wait)
		require.False(t, parked)
		report(p, 1, "m", keypool.Rejected, 0)
		<-time.After(10 * time.Second)
		wait, parked = p.TimeUntilAvailable("m", 0)
		require.Equal(t, 50*time.Second, wait)
		require.True(t, parked)
	})
}

// A pinned key is selected although another one is due, and it is not selected while it is held.
func TestOnlyAPinnedKeyIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, 1, 1)
		only := keypool.AllExcept(1)
		for range 3 {
			sel, ok := p.SelectKey("m", only)
			require.True(t, ok)
			require.Equal(t, 1, sel.KeyIndex)
			require.False(t, p.HasAvailableKey("m", only.With(1)), "there is no other one")
		}
		require.ElementsMatch(t, []string{"A", "B"}, []string{selectKeys(p, "m", 1), selectKeys(p, "m", 1)}, "the others keep their turns")
		report(p, 1, "m", keypool.RateLimited, 7*time.Second)
		report(p, 0, "m", keypool.Rejected, 0)
		_, ok := p.SelectKey("m", only)
		require.False(t, ok)
		wait, suspended := p.TimeUntilAvailable("m", only)
		require.Equal(t, 7*time.Second, wait)
		require.False(t, suspended)
	})
}

// A pool with one key has no alternative, so it ignores earlier results.
func TestSingleKeyIgnoresHolds(t *testing.T) {
	p := newPool(t, 1)
	report(p, 0, "m", keypool.Rejected, 0)
	report(p, 0, "m", keypool.RateLimited, time.Hour)
	require.Equal(t, []bool{true}, p.Suspended(), "it is still reported")
	require.Equal(t, "A", selectKeys(p, "m", 1))
	require.Equal(t, []bool{false}, p.Suspended())
}

func TestConcurrentCalls(t *testing.T) {
	p := newPool(t, 3, 1)
	var wg sync.WaitGroup
	var mu sync.Mutex
	used := map[int]int{}
	for range 8 {
		wg.Go(func() {
			for range 100 {
				u, _ := p.SelectKey("m", 0)
				p.ReportResult(u, keypool.Accepted, 0)
				mu.Lock()
				used[u.KeyIndex]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[int]int{0: 600, 1: 200}, used)
}

func TestBadPools(t *testing.T) {
	for name, keys := range map[string][]keypool.Key{
		"no key":    {},
		"too many":  make([]keypool.Key, 65),
		"empty":     {{Name: "env:A"}},
		"below one": {{Name: "env:A", Secret: "s", Weight: -1}},
	} {
		_, err := keypool.New(keys...)
		require.Error(t, err, name)
	}
}
