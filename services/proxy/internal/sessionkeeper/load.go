package sessionkeeper

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const (
	// loadTimeout limits how long a request waits for the shared store.
	loadTimeout = 5 * time.Millisecond
	// viewTimeout limits how long a request that only shows a session waits.
	viewTimeout = 250 * time.Millisecond
	// clockTolerance is the difference of two clocks that is taken for the delay of a call.
	clockTolerance = 100 * time.Millisecond
)

// Load is a read of the shared store that has started. The nil Load has nothing to wait for.
type Load struct {
	key      session.Key
	deadline time.Time
	done     chan struct{}
}

// Key returns the session that is read.
func (l *Load) Key() session.Key { return l.key }

// StartLoad starts to read the state of a session from the shared store. It returns nil if
// there is no such store or if it is slow. The result is merged into the memory.
func (k *Keeper) StartLoad(account string, key session.Key) *Load {
	if k.deps.Shared == nil || !k.guard.allows(k.clock.elapsed()) {
		return nil
	}
	l := &Load{key: key, deadline: time.Now().Add(k.deps.LoadTimeout), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		ctx, cancel := context.WithDeadline(context.Background(), l.deadline)
		defer cancel()
		err := k.load(ctx, account, key)
		k.guard.record(err == nil, k.clock.elapsed())
	}()
	return l
}

func (k *Keeper) load(ctx context.Context, account string, key session.Key) error {
	k.stats.reads.Add(1)
	s, age, err := k.deps.Shared.Load(ctx, account, key)
	if err != nil {
		k.stats.failedReads.Add(1)
		return err
	}
	if s == nil {
		return nil
	}
	now, _ := k.clock.now()
	if s = inOwnTime(s, now, age); !s.IsExpired(now) {
		k.sessions.update(key, now, func(own *session.State) *session.State { return session.Merge(own, s) })
	}
	return nil
}

// inOwnTime returns a state of the shared store with the times of this process. age is the time
// since the last turn of the session.
func inOwnTime(s *session.State, now time.Time, age time.Duration) *session.State {
	if s.LastAt > 0 {
		if d := now.Add(-age).Sub(time.UnixMilli(s.LastAt)); d.Abs() > clockTolerance {
			s = s.Shifted(d)
		}
	} else { // only side calls so far
		s.Expires = now.Add(session.IdleLifetime).UnixMilli()
	}
	return s.NotAfter(now)
}

// Wait waits until the read has finished, but not longer than its deadline.
func (l *Load) Wait(ctx context.Context) {
	if l == nil {
		return
	}
	timeout := time.NewTimer(time.Until(l.deadline))
	defer timeout.Stop()
	select {
	case <-l.done:
	case <-timeout.C:
	case <-ctx.Done():
	}
}

// View returns the state of a session for display. It waits longer for the shared store than a
// chat request does. If the store fails, View returns what this process knows.
func (k *Keeper) View(ctx context.Context, account string, key session.Key) *session.State {
	if k.deps.Shared != nil {
		ctx, cancel := context.WithTimeout(ctx, k.deps.ViewTimeout)
		defer cancel()
		_ = k.load(ctx, account, key) // the memory is the answer if the store fails
	}
	return k.Get(key)
}

const (
	// maxFailures is after how many failed reads in a row the guard stops them.
	maxFailures = 3
	// guardPause is how long the guard stops reads before it allows one as a test.
	guardPause = time.Second
)

// guard is the breaker of the reads.
type guard struct {
	failures atomic.Int32
	// stoppedUntil is in nanoseconds since the start; 0 means not stopped.
	stoppedUntil atomic.Int64
}

// allows reports whether a read may start.
func (g *guard) allows(now time.Duration) bool {
	until := g.stoppedUntil.Load()
	if until == 0 {
		return true
	}
	return int64(now) >= until && g.stoppedUntil.CompareAndSwap(until, int64(now+guardPause))
}

func (g *guard) record(ok bool, now time.Duration) {
	if ok {
		g.failures.Store(0)
		g.stoppedUntil.Store(0)
		return
	}
	if g.failures.Add(1) >= maxFailures {
		g.stoppedUntil.Store(int64(now + guardPause))
	}
}
