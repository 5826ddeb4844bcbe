package limits

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Deps is what a Keeper needs.
type Deps struct {
	// Counters are those of all proxies; nil: this process is the only one.
	Counters Counters
	// Proxies is how many there are until Counters tell.
	Proxies int
	// Patience is how long a request waits for Counters before it is judged
	// without them; 0 is 50 ms.
	Patience time.Duration
	// Path is where the figures are kept over a restart; empty keeps none. It
	// is for a process without Counters.
	Path string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	Log *slog.Logger
}

// Keeper admits requests. It is safe for concurrent use.
type Keeper struct {
	counters Counters
	patience time.Duration
	path     string
	now      func() time.Time
	log      *slog.Logger
	// began is what instants are counted from: these do not jump.
	began  time.Time
	seed   maphash.Seed
	shards [shards]shard
	today  atomic.Pointer[calendar]

	// away is whether the counters did not answer, behind whether they have
	// not been told everything since; n is how many proxies live.
	away   atomic.Bool
	behind atomic.Bool
	n      atomic.Int64
	number atomic.Int64
	// changed is whether there is something to keep on disk.
	changed atomic.Bool

	mu      sync.Mutex
	actives []*account
}

// New reads what was kept. A file that cannot be read is said in the log and
// done without: what was spent is in the ledger.
func New(d Deps) (*Keeper, error) {
	if d.Counters != nil && d.Path != "" {
		return nil, errors.New("limits: shared counters need no file")
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	k := &Keeper{
		counters: d.Counters, patience: cmp.Or(d.Patience, patience), path: d.Path,
		now: d.Now, log: d.Log, began: d.Now(), seed: maphash.MakeSeed(),
	}
	k.n.Store(int64(cmp.Or(max(0, d.Proxies), 1)))
	for i := range k.shards {
		k.shards[i].accounts = map[string]*account{}
	}
	k.load()
	return k, nil
}

// Enter takes a request of the rates and a place of key and account. The Pass
// is nil for a caller without limits, which is fine to use; so is that of a
// refusal. Errors are of package apperr.
func (k *Keeper) Enter(ctx context.Context, c *Caller) (*Pass, error) {
	if c.Account == (Set{}) && c.Key == (Set{}) {
		return nil, nil
	}
	now := k.now()
	p := &Pass{k: k}
	p.a = k.lock(c.AccountID)
	defer p.a.mu.Unlock()
	p.prepare(c, k.calendar(now))
	p.count(1)
	err := k.take(ctx, p, &demand{rates: p.requests, units: 1, pools: [4]*pool{p.places[0], p.places[1]}, amount: 1}, now)
	if err != nil {
		p.count(-1)
		p.settled, p.left = true, true // it is good for its meters alone
		return p, err
	}
	return p, nil
}

// Stored tells what the ledger has of a key, or of the account if keyID is
// empty, for a UTC day (2026-11-15) and its month. Less than before is
// ignored.
func (k *Keeper) Stored(accountID, keyID, day string, dayNano, monthNano int64) {
	if len(day) != len(time.DateOnly) {
		return
	}
	a := k.lock(accountID)
	defer a.mu.Unlock()
	s := a.own
	if keyID != "" {
		s = a.key(keyID)
	}
	told := stored{total{day, max(0, dayNano)}, total{day[:len("2006-01")], max(0, monthNano)}}
	s.pools(told.seed)
	s.stored.day.raise(told.day)
	s.stored.month.raise(told.month)
	k.touch(a, s)
}

// Away is whether the shared counters do not answer, or have not been told yet
// what was counted without them.
func (k *Keeper) Away() bool { return k.behind.Load() }

// Proxies is how many live, as far as is known.
func (k *Keeper) Proxies() int { return int(k.n.Load()) }

// instant is now as the meters count it.
func (k *Keeper) instant(t time.Time) int64 { return int64(t.Sub(k.began)) }

func (k *Keeper) mode() mode {
	return mode{alone: k.counters == nil, away: k.away.Load(), n: k.n.Load()}
}
