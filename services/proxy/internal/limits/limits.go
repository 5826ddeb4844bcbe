// Package limits admits requests within the limits of their key and account:
// requests and tokens per minute, concurrent requests, and money per UTC day and
// month. Group budgets limit the money of requests that have a tag, a user or an agent in
// common. A Limiter admits a request and returns an Admission, which reserves and
// settles tokens and money. All proxies share counters. To avoid a round trip per
// request, each proxy takes a part of a limit in advance. Such a part is called a
// lease for a rate limit, and a hold for slots and budgets. If the counters are
// unavailable, each proxy uses its share of every limit. A single proxy needs no
// counters and counts alone.
//
// Example: a key may send 600 requests per minute, and two proxies serve it.
//
//	event                    proxy A                      shared counter
//	first request            waits for a grant of 1       600 -> 599 available
//	100 requests per second  leases about 10 in advance   -10 every 100 ms
//	one more request         lease 10 -> 9                no round trip
//	lease is one second old  returns the lease            units are available again
//	counters unavailable     counts alone, up to 300      not reachable
//	counters available       reports its use as a debit   counts that use
//
// A hold works the same way, but it expires if its proxy dies: after 10 s for
// slots, after 60 s for money. Strict budgets are for money that no client waits for, such
// as experiments: their holds last as long as the budget, and without the counters nothing
// is reserved.
//
// While the counters respond in time, all proxies together reserve at most the limit. A
// request that uses more than its estimate can still exceed a limit. The package itself
// uses neither Redis nor HTTP. Packages api and dispatch use the package; package counters
// implements Counters.
package limits

import (
	"context"
	"time"
)

// Names of the limits in responses and records.
const (
	RequestsPerMinute  = "requests_per_minute"
	TokensPerMinute    = "tokens_per_minute"
	ConcurrentRequests = "concurrent_requests"
	NanoUSDPerHour     = "nano_usd_per_hour"
	NanoUSDPerDay      = "nano_usd_per_day"
	NanoUSDPerWeek     = "nano_usd_per_week"
	NanoUSDPerMonth    = "nano_usd_per_month"
	NanoUSDTotal       = "nano_usd_total"
)

// Scopes of a limit.
const (
	ScopeKey     = "key"
	ScopeAccount = "account"
	ScopeBudget  = "budget"
)

// Set holds the limits of a key or an account. Zero means no limit.
type Set struct {
	RequestsPerMinute, TokensPerMinute, Concurrent, NanoUSDPerDay, NanoUSDPerMonth int64
}

// budget returns the budget of a window; 0 means none.
func (s *Set) budget(w windowKind) int64 {
	switch w {
	case dayWindow:
		return s.NanoUSDPerDay
	case monthWindow:
		return s.NanoUSDPerMonth
	}
	return 0
}

// Caller holds the ids and the limits of a request's key and account. The Limiter
// does not retain it.
type Caller struct {
	AccountID, KeyID string
	Account, Key     Set
	// HasGroups means that group budgets can apply. The request is then admitted also
	// without other limits, so that AddGroups can add them.
	HasGroups bool
	// Strict makes the budgets of the account hard. Nothing is reserved while the shared
	// counters do not respond, and what a crashed process had reserved counts as spent.
	Strict bool
}

// Status is the state of one limit, for response headers.
type Status struct {
	Scope, Name      string
	Limit, Remaining int64
	// Reset is the time until the whole limit is available again. It is 0 for
	// concurrent requests.
	Reset time.Duration
}

// Counters are shared by all proxies. A call that fails may have taken effect.
// Implementations are safe for concurrent use.
type Counters interface {
	// Exchange applies all updates, normally in one round trip. A grant has the same
	// index as its update.
	Exchange(ctx context.Context, rates []RateUpdate, holds []HoldUpdate) ([]RateGrant, []HoldGrant, error)
	// CountProxies returns how many proxies were seen within a duration. If join
	// is set, it first registers this proxy. known reports whether this proxy was
	// registered before the call. If an earlier registration is missing, the counters
	// have lost all data.
	CountProxies(ctx context.Context, within time.Duration, join bool) (n int, known bool, err error)
}

// CounterID identifies a shared counter.
type CounterID struct {
	// AccountID is the account to which the counter belongs, also if Scope is ScopeKey.
	AccountID string
	// Scope is ScopeKey, ScopeAccount or ScopeBudget. ID is the id of that key, account or
	// group budget. The member of a group budget follows its id after a slash.
	Scope, ID string
	// Name is the name of the limit, such as RequestsPerMinute.
	Name string
}

// RateUpdate requests units of a limit per minute. Granted units count as used.
type RateUpdate struct {
	CounterID
	Limit int64
	// Either no units are granted, or at least Min and at most Max.
	Min, Max int64
	// Returned counts granted units that were not used.
	Returned int64
	// Debit counts units that were used without a grant.
	Debit int64
	// LastUsed is the time until all units are available again, as far as this proxy
	// can tell. If the counter was lost, it restarts with LastUsed.
	LastUsed time.Duration
}

// RateGrant is the response to a RateUpdate.
type RateGrant struct {
	Units int64
	// Used is the used part of the limit: the time until all units are available
	// again.
	Used time.Duration
}

// HoldUpdate reports how much of a limit this proxy has spent and holds, and
// requests more. The amounts are absolute, so repeated and late updates do no harm.
type HoldUpdate struct {
	CounterID
	// Period is the UTC period, such as a day. It is empty for slots.
	Period string
	Limit  int64
	// Sequence grows with every update of a proxy. An update that arrives after a
	// newer one does not change the hold.
	Sequence int64
	// Spent is what this proxy has spent in the period.
	Spent int64
	// StoredSpent is what all proxies have spent according to the stored records.
	StoredSpent int64
	// Reserved is the amount for running requests. It is always granted.
	Reserved int64
	// Need is the amount that waiting requests need. If at least Min is free, the
	// counters grant Need, or as much of it as is free.
	Min, Need int64
	// Spare is an amount to hold in advance. The counters grant at most
	// 1/SpareDivisor of the amount that is free after Need.
	Spare, SpareDivisor int64
	// HoldTTL is the lifetime of the hold.
	HoldTTL time.Duration
	// CounterTTL is the lifetime of the counter.
	CounterTTL time.Duration
}

// HoldGrant is the response to a HoldUpdate.
type HoldGrant struct {
	// Held is what this proxy holds now.
	Held int64
	// Free is the part of the limit that is neither spent nor held by any proxy.
	Free int64
	// TotalSpent is what all proxies have spent.
	TotalSpent int64
}
