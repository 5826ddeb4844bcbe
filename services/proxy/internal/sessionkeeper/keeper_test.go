package sessionkeeper

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

var quiet = slog.New(slog.DiscardHandler)

func turn(model string) *session.Served {
	return &session.Served{Candidate: decide.Candidate{Model: model, Provider: "p"}, Usage: catalog.Usage{Input: 2000, Output: 10}, Cache: catalog.Cache{Mode: catalog.CacheAutomatic, TTLSeconds: 300}, CostNanoUSD: 5}
}

// shelf is a shared store in memory. While hang is set, it does not respond.
type shelf struct {
	mu     sync.Mutex
	states map[session.Key]*session.State
	saved  []Change
	// numbers has the number of every batch.
	numbers []int64
	calls   int
	hang    bool
	fail    error
}

func (s *shelf) isHanging() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.hang
}

func (s *shelf) Load(ctx context.Context, _ string, key session.Key) (*session.State, time.Duration, error) {
	if s.isHanging() {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.states[key]
	if state == nil {
		return nil, 0, nil
	}
	return state, time.Since(time.UnixMilli(state.LastAt)), nil
}

func (s *shelf) Save(_ context.Context, b Batch) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved, s.numbers = append(s.saved, b.Changes...), append(s.numbers, b.Number)
	return 0, s.fail
}

func (s *shelf) setFail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// takeAll returns the changes that wait.
func (k *Keeper) takeAll() []Change { return k.queue.take(maxQueue) }

func TestANewerStateOfAnotherProxyWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := session.KeyOf("a", "s")
		store := &shelf{states: map[session.Key]*session.State{}}
		k := New(t.Context(), Deps{Shared: store, Log: quiet})
		k.Remember("a", key, turn("near"), false)
		require.Equal(t, "near", k.Get(key).Last.Model)
		<-time.After(time.Minute)
		far := turn("far")
		far.At = time.Now()
		store.states[key], _ = (*session.State)(nil).After(far)
		k.StartLoad("a", key).Wait(t.Context())
		require.Equal(t, "far", k.Get(key).Last.Model)
		<-time.After(time.Minute)
		k.Remember("a", key, turn("nearest"), false)
		k.StartLoad("a", key).Wait(t.Context())
		require.Equal(t, "nearest", k.Get(key).Last.Model, "the own copy is newer")
	})
}

// A request waits at most loadTimeout for a store that hangs. After some failures, requests do
// not wait at all, except for one test per second.
func TestAHangingStoreIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &shelf{hang: true}
		k := New(t.Context(), Deps{Shared: store, Log: quiet})
		key := session.KeyOf("a", "s")
		for range maxFailures {
			began := time.Now()
			k.StartLoad("a", key).Wait(t.Context())
			require.Equal(t, loadTimeout, time.Since(began))
			synctest.Wait()
		}
		for range 100 {
			require.Nil(t, k.StartLoad("a", key))
		}
		require.Equal(t, int64(maxFailures), k.FailedReads())
		require.Equal(t, maxFailures, store.calls)

		<-time.After(guardPause)
		test := k.StartLoad("a", key)
		require.NotNil(t, test, "one read tests the store")
		require.Nil(t, k.StartLoad("a", key), "and only one")
		test.Wait(t.Context())
		synctest.Wait()
		require.Nil(t, k.StartLoad("a", key))

		store.mu.Lock()
		store.hang = false
		store.mu.Unlock()
		<-time.After(guardPause)
		k.StartLoad("a", key).Wait(t.Context())
		for range 10 {
			require.NotNil(t, k.StartLoad("a", key), "the store responds again")
		}
		synctest.Wait()
	})
}

func TestWaitEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := New(t.Context(), Deps{Shared: &shelf{hang: true}, Log: quiet})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		k.StartLoad("a", session.KeyOf("a", "s")).Wait(ctx)
		require.Zero(t, time.Since(began))
		<-time.After(loadTimeout) // the read itself ends at its deadline
	})
}

// deaf is a store that ignores deadlines until it is closed.
type deaf struct {
	shelf
	closed chan struct{}
}

func (d *deaf) Load(context.Context, string, session.Key) (*session.State, time.Duration, error) {
	<-d.closed
	return nil, 0, errors.New("closed")
}

func TestWaitEndsAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &deaf{closed: make(chan struct{})}
		defer close(store.closed)
		k := New(t.Context(), Deps{Shared: store, Log: quiet})
		began := time.Now()
		k.StartLoad("a", session.KeyOf("a", "s")).Wait(t.Context())
		require.Equal(t, loadTimeout, time.Since(began))
	})
}

// The memory has two generations, so it holds at most twice the limit.
func TestTheMemoryIsBounded(t *testing.T) {
	k := New(t.Context(), Deps{Log: quiet})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 3 * maxSessions {
		k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
		k.Remember("a", session.KeyOf("a", fmt.Sprint("opening", i)), turn("m"), true)
	}
	require.LessOrEqual(t, k.sessions.len(), 2*maxSessions)
	require.LessOrEqual(t, k.openings.len(), 2*maxOpenings)
	require.NotNil(t, k.Get(session.KeyOf("a", fmt.Sprint(3*maxSessions-1))))
	require.Nil(t, k.Get(session.KeyOf("a", "0")), "the oldest is forgotten")
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20))
	runtime.KeepAlive(k)
}

func TestTenThousandSessionsAreKept(t *testing.T) {
	k := New(t.Context(), Deps{Log: quiet})
	for round := range 3 {
		for i := range 10_000 {
			k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
		}
		for i := range 10_000 {
			require.Equal(t, int64(round+1), k.Get(session.KeyOf("a", fmt.Sprint(i))).Totals.Turns)
		}
	}
	require.Equal(t, 10_000, k.Len())
}

// A conversation without an id is shared once it has a second request. The first one counts.
func TestAnOpeningIsSharedLater(t *testing.T) {
	store, key := &shelf{}, session.KeyOf("a", "c-1")
	k := New(t.Context(), Deps{Shared: store, Log: quiet})
	k.Remember("a", key, turn("m"), true)
	require.Empty(t, k.takeAll())
	k.Remember("a", key, turn("m"), false)
	require.Equal(t, int64(2), k.Get(key).Totals.Turns)
	waiting := k.takeAll()
	require.Len(t, waiting, 1)
	require.Equal(t, session.Totals{Requests: 2, Turns: 2, CostNanoUSD: 10, InputTokens: 4000}, waiting[0].Added, "other proxies count both")
	k.Remember("a", key, turn("m"), false)
	require.Equal(t, int64(1), k.takeAll()[0].Added.Requests, "the first one counts once")
}

func TestAStateExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, key := New(t.Context(), Deps{Log: quiet}), session.KeyOf("a", "s")
		k.Remember("a", key, turn("m"), false)
		<-time.After(59 * time.Minute)
		require.NotNil(t, k.Get(key))
		<-time.After(time.Minute)
		require.Nil(t, k.Get(key))
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	store := &shelf{}
	k := New(t.Context(), Deps{Shared: store, Log: quiet})
	for i := range maxQueue + 7 {
		k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
	}
	require.Equal(t, int64(7), k.DroppedWrites())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ctx)
	require.Len(t, store.saved, maxQueue, "a shutdown writes what waits")
}

// tray is a file in memory.
type tray struct {
	mu    sync.Mutex
	saved map[string]Saved
	fail  error
	times int
}

func (f *tray) LoadAll(context.Context, int64) (all []Saved, err error) {
	for _, s := range f.saved {
		all = append(all, s)
	}
	return all, f.fail
}

func (f *tray) Save(_ context.Context, states []Saved) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.times++
	for _, s := range states {
		f.saved[string(s.Key)] = s
	}
	return f.fail
}

// A file is written only ten times a second, so each write takes all changes that wait.
func TestAFileKeepsUpWithManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &tray{saved: map[string]Saved{}}
		k := New(t.Context(), Deps{File: file, Log: quiet})
		ctx, cancel := context.WithCancel(t.Context())
		go k.Run(ctx)
		for i := range 10_000 {
			k.Remember("a", session.KeyOf("a", fmt.Sprint(i)), turn("m"), false)
			<-time.After(time.Second / 5000)
		}
		cancel()
		synctest.Wait()
		require.Zero(t, k.DroppedWrites())
		require.Len(t, file.saved, 10_000)
	})
}

func TestAFileOutlivesTheProcess(t *testing.T) {
	file, key := &tray{saved: map[string]Saved{}}, session.KeyOf("a", "s")
	k := New(t.Context(), Deps{File: file, Log: quiet})
	k.Remember("a", key, turn("one"), false)
	k.Remember("a", key, turn("two"), false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ctx)
	require.Equal(t, 1, file.times)
	before := k.Get(key)
	require.Equal(t, int64(2), before.Totals.Turns)

	file.saved["other version"] = Saved{Key: make([]byte, 16), State: []byte{99}}
	file.saved["no key"] = Saved{Key: []byte("x"), State: file.saved[string(key[:])].State}
	k = New(t.Context(), Deps{File: file, Log: quiet})
	require.Equal(t, before, k.Get(key))
	require.Equal(t, 1, k.Len())
	require.Nil(t, k.StartLoad("a", key), "a file is not read during a request")

	file.fail = errors.New("disk full")
	k = New(t.Context(), Deps{File: file, Log: quiet})
	k.Remember("a", key, turn("three"), false)
	require.Equal(t, "three", k.Get(key).Last.Model)
}

func BenchmarkRemember(b *testing.B) {
	k := New(b.Context(), Deps{Log: quiet})
	key, served := session.KeyOf("a", "s"), turn("m")
	b.ReportAllocs()
	for b.Loop() {
		k.Remember("a", key, served, false)
	}
}
