// Package sessionkeeper keeps the states of sessions. A Keeper holds the states of the last
// sessions in memory. It also writes them to a store, in the background: to a Shared store if
// several proxies serve the same sessions, or to a File if there is one proxy. No request
// waits for a write.
//
// A request waits for a read only if another proxy may know more of its session, and at most
// loadTimeout. When the store is slow, a breaker stops the reads, and the Keeper uses the
// states in memory. Package session defines the states. Package sessionredis implements
// Shared, and the all-in-one implements File. Package api uses the Keeper.
package sessionkeeper

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// maxSessions and maxOpenings are the sizes of one generation of each memory. Together the
// memories use at most about 30 MB.
const maxSessions, maxOpenings = 20_000, 10_000

// Shared is a store that several proxies use. It has a clock of its own, because the clocks of
// the proxies may differ by minutes.
type Shared interface {
	// Load returns the state of a session, and the time since its last turn by the clock of
	// the store. It returns nil if the session is unknown.
	Load(ctx context.Context, account string, key session.Key) (*session.State, time.Duration, error)
	// Save applies all changes of a batch or none, and adds Change.Added to the totals of the
	// store. It returns how many changes can never be applied. A call that fails may have taken
	// effect. The batch may be saved again: the store applies it only if its number is above
	// that of the last batch of the writer.
	Save(ctx context.Context, b Batch) (rejected int, err error)
}

// Batch is a number of changes that are written together.
type Batch struct {
	// Writer names the process that writes. Number counts its batches.
	Writer string
	Number int64
	// Now is the time of the call, by the clock of the states.
	Now     time.Time
	Changes []Change
}

// Change is the new state of a session after one or more requests.
type Change struct {
	Account string
	Key     session.Key
	State   *session.State
	// Added is what changed the totals.
	Added session.Totals
	// IsTurn means that more than the totals changed.
	IsTurn bool
}

// Deps holds the parts of a Keeper. Shared and File are optional; at most one is set.
type Deps struct {
	Shared Shared
	File   File
	Log    *slog.Logger
	// Clock is the clock of the operating system, unless a test replaces it.
	Clock Clock
	// LoadTimeout and ViewTimeout replace loadTimeout and viewTimeout in tests. 0 means the
	// default.
	LoadTimeout, ViewTimeout time.Duration
}

// Keeper keeps the states of sessions. It is safe for concurrent use.
type Keeper struct {
	deps Deps
	// openings holds the sessions that have only one request so far and no id of the client.
	// There may be many of them, so they do not share a memory with the other sessions.
	sessions, openings memory
	queue              *queue
	clock              *steadyClock
	guard              guard
	stats              stats
}

type stats struct{ reads, failedReads, retriedWrites, droppedWrites atomic.Int64 }

// New returns a Keeper. If it has a File, it first loads the saved states. It logs an error of
// the file and then starts without them.
func New(ctx context.Context, d Deps) *Keeper {
	d.LoadTimeout, d.ViewTimeout = cmp.Or(d.LoadTimeout, loadTimeout), cmp.Or(d.ViewTimeout, viewTimeout)
	k := &Keeper{
		deps: d, queue: newQueue(), clock: newSteadyClock(d.Clock),
		sessions: memory{limit: maxSessions}, openings: memory{limit: maxOpenings},
	}
	if d.File != nil {
		k.loadFile(ctx)
	}
	return k
}

// Get returns what this process knows of a session, or nil. The times of the state are those of
// the wall clock.
func (k *Keeper) Get(key session.Key) *session.State {
	now, ahead := k.clock.now()
	s := k.sessions.get(key, now)
	if s == nil {
		s = k.openings.get(key, now)
	}
	return inWallTime(s, ahead)
}

// Remember stores the state of a session after a request that has just ended. isOpening means
// that the request began a conversation without an id of the client; its state stays in this
// process.
func (k *Keeper) Remember(account string, key session.Key, r *session.Served, isOpening bool) {
	r.At, _ = k.clock.now()
	if isOpening {
		k.openings.update(key, r.At, func(*session.State) *session.State {
			begun, _ := (*session.State)(nil).After(r) // an equal request before it was another conversation
			return begun
		})
		return
	}
	k.sessions.update(key, r.At, func(s *session.State) *session.State {
		c := Change{Account: account, Key: key, IsTurn: r.IsTurn()}
		if s != nil {
			c.State, c.Added = s.After(r)
		} else {
			c.State, _ = k.openings.take(key, r.At).After(r)
			c.Added = c.State.Totals // the opening was not written yet
		}
		k.enqueue(c) // the lock of the memory keeps the changes of a session in order
		return c.State
	})
}

func (k *Keeper) enqueue(c Change) {
	if k.deps.Shared == nil && k.deps.File == nil {
		return
	}
	if !k.queue.add(c) {
		k.stats.droppedWrites.Add(1)
	}
}

// Len returns how many states are in memory, at most.
func (k *Keeper) Len() int { return k.sessions.len() + k.openings.len() }

// Reads returns how many states were requested from the shared store.
func (k *Keeper) Reads() int64 { return k.stats.reads.Load() }

// FailedReads returns how many of these requests failed or took too long.
func (k *Keeper) FailedReads() int64 { return k.stats.failedReads.Load() }

// RetriedWrites returns how many times a failed write to the store was repeated.
func (k *Keeper) RetriedWrites() int64 { return k.stats.retriedWrites.Load() }

// DroppedWrites returns how many changes of sessions were not written to the store.
func (k *Keeper) DroppedWrites() int64 { return k.stats.droppedWrites.Load() }
