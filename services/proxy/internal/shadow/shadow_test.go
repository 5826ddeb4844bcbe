package shadow

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

const testDocument = `
version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes: {auto: {select: [{target: sandbox-small}]}}
experiments: {try: {share: %SHARE%, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: 1}}
`

const completionBody = `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`

// newPool returns a pool that does not run, and a sample for it.
func newPool(t *testing.T, share string, isBusy func() bool) (*Pool, *Sample) {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(strings.Replace(testDocument, "%SHARE%", share, 1)), cat)
	require.NoError(t, err)
	req, err := requestbody.ParseChat([]byte(`{"model":"auto","messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(t, err)
	return New(Deps{IsBusy: isBusy, MayUse: func(context.Context, string) bool { return true }, Workers: 1, Log: slog.New(slog.DiscardHandler)}), &Sample{
		RequestID: uuid.Must(uuid.NewV7()), AccountID: "a", KeyID: "k", Policy: p, Request: req, Served: decide.Candidate{Model: "sandbox-small", Provider: "sandbox"},
		Question: &decide.Question{Kind: catalog.Chat, Model: "auto", At: time.Now().UTC()},
		Response: func() ([]byte, bool) { return []byte(completionBody), true },
	}
}

func idle() bool { return false }

func dropped(p *Pool) map[Drop]int64 {
	all := map[Drop]int64{}
	p.EachDropped(func(why Drop, n int64) { all[why] = n })
	return all
}

func TestTheQueueIsBounded(t *testing.T) {
	p, s := newPool(t, "1", idle)
	for range maxQueued + 3 {
		p.Offer(s)
	}
	require.Len(t, p.queue, maxQueued)
	require.Equal(t, map[Drop]int64{QueueFull: 3}, dropped(p))

	p, s = newPool(t, "1", idle)
	large := []byte(strings.Repeat("x", maxTextBytes))
	s.Response = func() ([]byte, bool) { return large, true }
	for range maxQueued {
		p.Offer(s)
	}
	require.LessOrEqual(t, p.bytes.Load(), int64(maxQueuedBytes))
	require.Len(t, p.queue, maxQueuedBytes/(maxTextBytes+len(s.Request.Body)))
	s.Response = func() ([]byte, bool) { return append(large, 'x'), true }
	p.Offer(s)
	s.Response = func() ([]byte, bool) { return []byte(completionBody), false }
	p.Offer(s)
	require.EqualValues(t, 2, dropped(p)[TooLarge], "too long, or not captured completely")
}

// Under overload nothing is sampled, and what waits is dropped before it makes a call.
func TestExperimentsStopFirstUnderOverload(t *testing.T) {
	var mu sync.Mutex
	busy := false
	p, s := newPool(t, "1", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return busy
	})
	for range 5 {
		p.Offer(s)
	}
	mu.Lock()
	busy = true
	mu.Unlock()
	p.Offer(s)
	require.Equal(t, map[Drop]int64{Busy: 1}, dropped(p))
	p.runOne(t.Context(), <-p.queue) // it would panic without a ledger
	require.Empty(t, p.queue)
	require.Equal(t, map[Drop]int64{Busy: 6}, dropped(p))
}

func TestAStoppedPoolDropsItsQueue(t *testing.T) {
	p, s := newPool(t, "1", idle)
	p.Offer(s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.Workers = 0 // no worker takes it
	p.Run(ctx)
	require.Equal(t, map[Drop]int64{Stopping: 1}, dropped(p))
	require.Zero(t, p.bytes.Load())
	p.Workers = 1
	p.Offer(s)
	require.Empty(t, p.queue)
}

// The same request is sampled by every proxy or by none, and the share is exact on average.
func TestTheShareIsDrawnFromTheRequest(t *testing.T) {
	p, s := newPool(t, "0.1", idle)
	sampled := 0
	for range 3000 {
		s.RequestID = uuid.Must(uuid.NewV7())
		p.Offer(s)
		first := len(p.queue)
		p.clearQueue(Stopping)
		p.Offer(s)
		require.Len(t, p.queue, first)
		p.clearQueue(Stopping)
		sampled += first
	}
	require.InDelta(t, 300, sampled, 90)
	s.Question = &decide.Question{Kind: catalog.Chat, Model: "sandbox-small"}
	for range 100 {
		s.RequestID = uuid.Must(uuid.NewV7())
		p.Offer(s)
	}
	require.Empty(t, p.queue, "another route")
}

func TestAPanicEndsOnlyTheComparison(t *testing.T) {
	p, s := newPool(t, "1", idle)
	p.Offer(s)
	p.runOne(t.Context(), <-p.queue) // there is neither a budget nor a ledger
	require.Equal(t, map[Drop]int64{Panicked: 1}, dropped(p))
}

// A comparison pauses for clients before its next call, and goes on when they are done.
func TestARunningComparisonLetsClientsPass(t *testing.T) {
	looks := 0
	p, s := newPool(t, "1", func() bool { looks++; return looks == 2 || looks == 3 })
	p.Offer(s)
	c := <-p.queue
	require.True(t, p.mayCall(t.Context(), c))
	require.Equal(t, 4, looks)
	p.MayUse = func(_ context.Context, key string) bool { return key != "k" }
	require.False(t, p.mayCall(t.Context(), c))
}

func TestWaitingSamplesNeedPermission(t *testing.T) {
	p, s := newPool(t, "1", idle)
	for _, key := range []string{"k", "other", "k"} {
		s.KeyID = key
		p.Offer(s)
	}
	size := p.bytes.Load()
	p.dropForbidden(t.Context())
	require.Len(t, p.queue, 3)
	require.Equal(t, size, p.bytes.Load())
	p.MayUse = func(_ context.Context, key string) bool { return key != "k" }
	p.dropForbidden(t.Context())
	require.Len(t, p.queue, 1)
	require.Equal(t, size/3, p.bytes.Load())
	require.Equal(t, map[Drop]int64{OptedOut: 2}, dropped(p))
}

// A call starts when no client is served, but does not wait for that for long.
func TestACallWaitsForALull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := newPool(t, "1", idle)
		p.Offer(s)
		c := <-p.queue
		serving := 3
		p.IsServing = func() bool { serving--; return serving > 0 }
		began := time.Now()
		require.True(t, p.mayCall(t.Context(), c))
		require.Equal(t, 3*time.Millisecond, time.Since(began))
		p.IsServing = func() bool { return true }
		began = time.Now()
		require.True(t, p.mayCall(t.Context(), c))
		require.Less(t, time.Since(began), 2*maxLullWait)
	})
}

// A new policy and a drain end the comparisons of what was before: samples do not wait on, and
// running comparisons make no further call.
func TestAnOutdatedComparisonEnds(t *testing.T) {
	for name, change := range map[string]func(p *Pool){
		"new policy": func(p *Pool) { p.IsInUse = func(*policy.Policy) bool { return false } },
		"drain":      func(p *Pool) { p.IsDrained = func(c decide.Candidate) bool { return c.Model == "sandbox-large" } },
	} {
		p, sample := newPool(t, "1", idle)
		p.Offer(sample)
		p.dropForbidden(t.Context())
		require.Len(t, p.queue, 1, name)
		c := <-p.queue
		require.True(t, p.mayCall(t.Context(), c), name)
		p.queue <- c
		change(p)
		p.dropForbidden(t.Context())
		require.Empty(t, p.queue, name)
		require.False(t, p.mayCall(t.Context(), c), name)
	}
}
