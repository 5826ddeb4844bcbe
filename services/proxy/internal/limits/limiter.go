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

// Deps holds the dependencies of a Limiter.
type Deps struct {
	// Counters are shared by all proxies. Nil means that this is the only proxy.
	Counters Counters
	// Proxies is the assumed number of proxies until Counters reports it.
	Proxies int
	// CounterTimeout is how long a request waits for Counters before it is decided
	// without them. The default is 50 ms; only tests set another value.
	CounterTimeout time.Duration
	// Path is the file that stores the limit state across a restart. Empty means no
	// file. It must be empty if Counters is set.
	Path string
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Limiter admits requests. It is safe for concurrent use.
type Limiter struct {
	counters       Counters
	counterTimeout time.Duration
	path           string
	now            func() time.Time
	log            *slog.Logger
	// epoch is when the Limiter was created. An instant is a monotonic time, in
	// nanoseconds since epoch.
	epoch  time.Time
	seed   maphash.Seed
	shards [shardCount]shard
	today  atomic.Pointer[calendar]

	// unavailable means that the shared counters do not respond.
	unavailable atomic.Bool
	// degraded means that the shared counters are unavailable, or do not yet include what
	// this proxy counted without them.
	degraded atomic.Bool
	// proxies is the assumed number of running proxies.
	proxies   atomic.Int64
	updateSeq atomic.Int64
	// dirty means that the state has changed since it was last saved.
	dirty atomic.Bool

	// fileMu serializes writes of the file.
	fileMu sync.Mutex

	mu             sync.Mutex
	activeAccounts []*account
}

// New creates a Limiter and loads the saved limit state. If the file cannot be
// read, New logs the error and continues: the spend is also in the stored records.
func New(d Deps) (*Limiter, error) {
	if d.Counters != nil && d.Path != "" {
		return nil, errors.New("limits: Path and Counters cannot both be set")
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	k := &Limiter{
		counters: d.Counters, counterTimeout: cmp.Or(d.CounterTimeout, defaultCounterTimeout), path: d.Path,
		now: d.Now, log: d.Log, epoch: d.Now(), seed: maphash.MakeSeed(),
	}
	k.proxies.Store(int64(cmp.Or(max(0, d.Proxies), 1)))
	for i := range k.shards {
		k.shards[i].accounts = map[string]*account{}
	}
	k.loadFile()
	return k, nil
}

// Admit takes one request from the rate limits and one slot from the concurrency
// limits, of both the key and the account. If the caller has no limits, the
// Admission is nil. After a rejection, the Admission is useful only for Statuses.
// Every error is an *apperr.Error.
func (k *Limiter) Admit(ctx context.Context, c *Caller) (*Admission, error) {
	if c.Account == (Set{}) && c.Key == (Set{}) && !c.HasGroups {
		return nil, nil
	}
	now := k.now()
	p := &Admission{limiter: k}
	p.account = k.lockAccount(c.AccountID)
	defer p.account.mu.Unlock()
	p.bindLimits(c, k.calendarAt(now))
	p.addAdmissions(1)
	err := k.reserve(ctx, p, &demand{rates: p.requests, units: 1, pools: p.slots[:], amount: 1}, now)
	if err != nil {
		p.addAdmissions(-1)
		p.settled, p.released = true, true // makes Settle and Release do nothing
		return p, err
	}
	return p, nil
}

// SetStoredSpend sets how much a key has spent according to the stored records. If
// keyID is empty, it sets the spend of the account. The sums are for day, a UTC day
// such as 2026-11-15, and for its month. Sums that are lower than before are ignored.
func (k *Limiter) SetStoredSpend(accountID, keyID, day string, dayNano, monthNano int64) {
	if len(day) != len(time.DateOnly) {
		return
	}
	a := k.lockAccount(accountID)
	defer a.mu.Unlock()
	s := a.own
	if keyID != "" {
		s = a.keySubject(keyID)
	}
	s.raiseStored(dayWindow, periodSpend{day, max(0, dayNano)})
	s.raiseStored(monthWindow, periodSpend{day[:len(monthLayout)], max(0, monthNano)})
	k.markActive(a, s)
}

// IsDegraded reports whether the shared counters are unavailable, or do not yet
// include what this proxy counted without them.
func (k *Limiter) IsDegraded() bool { return k.degraded.Load() }

// ProxyCount returns the number of running proxies, as far as known.
func (k *Limiter) ProxyCount() int { return int(k.proxies.Load()) }

// toInstant converts a time to an instant: nanoseconds since the epoch.
func (k *Limiter) toInstant(t time.Time) int64 { return int64(t.Sub(k.epoch)) }

func (k *Limiter) currentMode() mode {
	return mode{standalone: k.counters == nil, unavailable: k.unavailable.Load(), proxies: k.proxies.Load()}
}
