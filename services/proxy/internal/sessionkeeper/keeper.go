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
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const (
	// maxSessions and maxOpenings are the sizes of one generation of each memory. Together
	// the memories use at most about 30 MB.
	maxSessions, maxOpenings = 20_000, 10_000
	// maxQueue is how many changes may wait to be written. Further changes are dropped.
	maxQueue = 4096
)

// Shared is a store that several proxies use.
type Shared interface {
	// Load returns the state of a session, or nil if it is unknown.
	Load(ctx context.Context, account string, key session.Key) (*session.State, error)
	// Save applies all changes. It adds Change.Added to the totals of the store. A call that
	// fails may have taken effect.
	Save(ctx context.Context, changes []Change) error
}

// File is a store of one proxy, such as a database file.
type File interface {
	// LoadAll returns all saved states that expire after a time in Unix milliseconds, the
	// oldest first.
	LoadAll(ctx context.Context, after int64) ([]Saved, error)
	// Save replaces the states of sessions.
	Save(ctx context.Context, states []Saved) error
}

// Saved is an encoded state in a File.
type Saved struct {
	Key   []byte
	State []byte
	// Expires is in Unix milliseconds.
	Expires int64
}

// Change is the new state of a session.
type Change struct {
	Account string
	Key     session.Key
	State   *session.State
	// Added is what changed the totals.
	Added session.Totals
	// IsTurn means that more than the totals has changed.
	IsTurn bool
}

// Deps holds the parts of a Keeper. Shared and File are optional; at most one is set.
type Deps struct {
	Shared Shared
	File   File
	Log    *slog.Logger
}

// Keeper keeps the states of sessions. It is safe for concurrent use.
type Keeper struct {
	deps Deps
	// openings holds the sessions that have only one request so far and no id of the client.
	// There may be many of them, so they do not share a memory with the other sessions.
	sessions, openings memory
	queue              chan Change
	guard              guard
	stats              stats
}

type stats struct{ reads, failedReads, droppedWrites atomic.Int64 }

// New returns a Keeper. If it has a File, it first loads the saved states. It logs an error of
// the file and then starts without them.
func New(ctx context.Context, d Deps) *Keeper {
	k := &Keeper{
		deps: d, queue: make(chan Change, maxQueue),
		sessions: memory{limit: maxSessions}, openings: memory{limit: maxOpenings},
	}
	if d.File != nil {
		k.loadFile(ctx)
	}
	return k
}

// Get returns what this process knows of a session, or nil.
func (k *Keeper) Get(key session.Key, now time.Time) *session.State {
	if s := k.sessions.get(key, now); s != nil {
		return s
	}
	return k.openings.get(key, now)
}

// Remember stores the state of a session after a request. isOpening means that the request
// began a conversation without an id of the client; its state stays in this process.
func (k *Keeper) Remember(account string, key session.Key, r *session.Served, isOpening bool) {
	if isOpening {
		k.openings.update(key, r.At, func(*session.State) *session.State {
			begun, _ := (*session.State)(nil).After(r) // an equal request before it was another conversation
			return begun
		})
		return
	}
	c := Change{Account: account, Key: key, IsTurn: r.IsTurn()}
	c.State = k.sessions.update(key, r.At, func(s *session.State) (next *session.State) {
		if s != nil {
			next, c.Added = s.After(r)
			return next
		}
		next, _ = k.openings.take(key, r.At).After(r)
		c.Added = next.Totals // the opening was not written yet
		return next
	})
	k.enqueue(c)
}

func (k *Keeper) enqueue(c Change) {
	if k.deps.Shared == nil && k.deps.File == nil {
		return
	}
	select {
	case k.queue <- c:
	default:
		k.stats.droppedWrites.Add(1)
	}
}

// Len returns how many states are in memory, at most.
func (k *Keeper) Len() int { return k.sessions.len() + k.openings.len() }

// Reads returns how many states were requested from the shared store.
func (k *Keeper) Reads() int64 { return k.stats.reads.Load() }

// FailedReads returns how many of these requests failed or took too long.
func (k *Keeper) FailedReads() int64 { return k.stats.failedReads.Load() }

// DroppedWrites returns how many changes were not written to the store.
func (k *Keeper) DroppedWrites() int64 { return k.stats.droppedWrites.Load() }
