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

func pool(t *testing.T, weights ...int) *keypool.Pool {
	t.Helper()
	var keys []keypool.Key
	for i, w := range weights {
		keys = append(keys, keypool.Key{Name: "env:" + string(rune('A'+i)), Secret: "s", Weight: w})
	}
	p, err := keypool.New(keys...)
	require.NoError(t, err)
	return p
}

// report is on a call that began now.
func report(p *keypool.Pool, key int, model string, v keypool.Verdict, delay time.Duration) {
	p.Report(keypool.Use{Key: key, Model: model, Began: time.Now()}, v, delay)
}

// turns are the keys of n calls that go well, as letters; - where none is given.
func turns(p *keypool.Pool, model string, n int) string {
	var b strings.Builder
	for range n {
		u, ok := p.Take(model, 0)
		if !ok {
			b.WriteByte('-')
			continue
		}
		b.WriteByte(byte('A' + u.Key))
		p.Report(u, keypool.Good, 0)
	}
	return b.String()
}

func TestTurnsFollowTheWeights(t *testing.T) {
	require.Equal(t, "AABACAAAABACAA", turns(pool(t, 5, 1, 1), "m", 14), "no key has all its turns in a row")
	require.Equal(t, "ABABAB", turns(pool(t, 0, 0), "m", 6))
	require.Equal(t, "AAA", turns(pool(t, 1), "m", 3))
}

func TestTriedKeysAreNotGivenAgain(t *testing.T) {
	p := pool(t, 1, 1, 1)
	var tried keypool.Tried
	seen := map[int]bool{}
	for range 3 {
		u, ok := p.Take("m", tried)
		require.True(t, ok)
		seen[u.Key], tried = true, tried.And(u.Key)
	}
	require.Len(t, seen, 3)
	_, ok := p.Take("m", tried)
	require.False(t, ok)
	_, ok = pool(t, 1).Take("m", keypool.Tried(0).And(0))
	require.False(t, ok)
}

func TestARefusedKeyIsParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			report(p, 0, "m", keypool.Refused, 0)
			require.Equal(t, []bool{true, false}, p.Parked())
			require.Equal(t, "BB", turns(p, "m", 2))
			require.Equal(t, "BB", turns(p, "other", 2), "for every model")
			<-time.After(want*time.Minute - 1)
			require.Equal(t, "BB", turns(p, "m", 2), "after %d minutes", want)
			<-time.After(1)
			probe(t, p, 0)
		}
		report(p, 0, "m", keypool.Good, 0)
		require.Equal(t, []bool{false, false}, p.Parked())
		report(p, 0, "m", keypool.Refused, 0)
		<-time.After(time.Minute)
		probe(t, p, 0)
	})
}

// probe takes the key once, and finds that nobody else gets it meanwhile.
func probe(t *testing.T, p *keypool.Pool, key int) {
	t.Helper()
	got := map[int]int{}
	for range 4 {
		u, ok := p.Take("m", 0)
		require.True(t, ok)
		got[u.Key]++
	}
	require.Equal(t, 1, got[key], "one call finds out")
}

func TestAProbeThatToldNothingIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		report(p, 0, "m", keypool.Refused, 0)
		<-time.After(time.Minute)
		for _, v := range []keypool.Verdict{keypool.Silent, keypool.Limited} {
			probe(t, p, 0)
			report(p, 0, "m", v, time.Nanosecond)
			<-time.After(time.Nanosecond)
		}
		probe(t, p, 0)
		require.Equal(t, []bool{true, false}, p.Parked())
	})
}

func TestRefusalsAtOnceAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		for range 50 {
			report(p, 0, "m", keypool.Refused, 0)
		}
		<-time.After(time.Minute)
		probe(t, p, 0)
	})
}

func TestAKeyIsBarredFromAModelAlone(t *testing.T) {
	p := pool(t, 1, 1)
	report(p, 0, "big", keypool.Barred, 0)
	require.Equal(t, "BB", turns(p, "big", 2))
	require.Equal(t, "AB", turns(p, "small", 2))
	require.Equal(t, []bool{false, false}, p.Parked())
}

func TestALimitCutsNoRefusalShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		report(p, 0, "m", keypool.Barred, 0)
		report(p, 0, "m", keypool.Limited, time.Second)
		<-time.After(time.Minute - 1)
		require.Equal(t, "BB", turns(p, "m", 2))
	})
}

func TestALimitedKeyRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		for asked, want := range map[time.Duration]time.Duration{
			0: time.Second, 7 * time.Second: 7 * time.Second, 24 * time.Hour: 5 * time.Minute,
		} {
			report(p, 0, "m", keypool.Limited, asked)
			require.Equal(t, []bool{false, false}, p.Parked(), "it is a good key")
			<-time.After(want - 1)
			require.Equal(t, "BB", turns(p, "m", 2))
			require.Contains(t, turns(p, "other", 2), "A", "limits are a model's")
			<-time.After(1)
			require.Contains(t, turns(p, "m", 2), "A", "asked for %s", asked)
		}
	})
}

func TestAShortLimitCutsNoLongOneShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		report(p, 0, "m", keypool.Limited, time.Minute)
		report(p, 0, "m", keypool.Limited, time.Second)
		<-time.After(time.Minute - 1)
		require.Equal(t, "BB", turns(p, "m", 2))
		<-time.After(1)
		require.Contains(t, turns(p, "m", 2), "A")
	})
}

// A long stream ends well on a key that was refused while it ran.
func TestALateAnswerForgivesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, v := range []keypool.Verdict{keypool.Limited, keypool.Barred, keypool.Refused} {
			p := pool(t, 1, 1)
			late, ok := p.Take("m", 0)
			require.True(t, ok)
			<-time.After(1)
			report(p, 0, "m", v, 10*time.Second)
			p.Report(late, keypool.Good, 0)
			require.Equal(t, "BB", turns(p, "m", 2), "verdict %d", v)
		}
	})
}

func TestALateRefusalIsNoSecondOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		late, ok := p.Take("m", 0)
		require.True(t, ok)
		<-time.After(1)
		report(p, 0, "m", keypool.Refused, 0)
		<-time.After(time.Minute)
		probe(t, p, 0)
		p.Report(late, keypool.Refused, 0)
		p.Report(late, keypool.Silent, 0)
		require.Equal(t, "BB", turns(p, "m", 2), "the probe is under way still")
		report(p, 0, "m", keypool.Silent, 0)
		probe(t, p, 0)
		report(p, 0, "m", keypool.Refused, 0)
		<-time.After(2 * time.Minute)
		probe(t, p, 0)
	})
}

func TestSilenceKeepsAKey(t *testing.T) {
	p := pool(t, 1, 1)
	for range 10 {
		report(p, 0, "m", keypool.Silent, time.Hour)
	}
	require.Contains(t, turns(p, "m", 2), "A")
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool(t, 1, 1)
		report(p, 0, "m", keypool.Refused, 0)
		report(p, 1, "m", keypool.Limited, 7*time.Second)
		require.Equal(t, "-", turns(p, "m", 1))
		wait, parked := p.Wait("m")
		require.Equal(t, 7*time.Second, wait)
		require.False(t, parked)
		report(p, 1, "m", keypool.Refused, 0)
		<-time.After(10 * time.Second)
		wait, parked = p.Wait("m")
		require.Equal(t, 50*time.Second, wait)
		require.True(t, parked)
	})
}

// There is nothing to turn to: the upstream is asked whatever it said before.
func TestALoneKeyIsAlwaysGiven(t *testing.T) {
	p := pool(t, 1)
	report(p, 0, "m", keypool.Refused, 0)
	report(p, 0, "m", keypool.Limited, time.Hour)
	require.Equal(t, []bool{true}, p.Parked(), "and still shown")
	require.Equal(t, "A", turns(p, "m", 1))
	require.Equal(t, []bool{false}, p.Parked())
}

func TestManyCallsTogether(t *testing.T) {
	p := pool(t, 3, 1)
	var wg sync.WaitGroup
	var mu sync.Mutex
	used := map[int]int{}
	for range 8 {
		wg.Go(func() {
			for range 100 {
				u, _ := p.Take("m", 0)
				p.Report(u, keypool.Good, 0)
				mu.Lock()
				used[u.Key]++
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
