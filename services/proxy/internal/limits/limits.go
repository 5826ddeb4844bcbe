// Package limits admits requests within the limits of their key and account:
// requests and tokens per minute, concurrent requests, and money per UTC day and
// month. A Limiter admits a request and returns an Admission, which reserves and
// settles tokens and money. The proxies share counters. A request rarely waits
// for them, because each proxy takes a part in advance: leases of rate limits,
// holds of slots and budgets. If the counters are unavailable, each proxy uses
// its share of every limit. A single process counts alone.
//
// Example: a key may send 600 requests per minute, and two proxies serve it.
//
//	event                    proxy A                      shared counter
//	first request            waits for a grant of 1       600 -> 599 available
//	100 requests per second  leases about 10 in advance   -10 every 100 ms
//	one more request         lease 10 -> 9                no round trip
//	one second without use   returns the lease            units are available again
//	counters unavailable     counts alone, up to 300      not reachable
//	counters available       reports its use as a debit   counts that use
//
// A hold works the same way, but it expires if its proxy dies: after 10 s for
// slots, after 60 s for money.
//
// While the counters are available, all proxies together never reserve more than
// a limit. A request that uses more than its estimate can still exceed one. The
// package contains neither Redis nor HTTP. Packages api and dispatch use it;
// package counters implements Counters.
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
	NanoUSDPerDay      = "nano_usd_per_day"
	NanoUSDPerMonth    = "nano_usd_per_month"
)

// Scopes of a limit.
const (
	ScopeKey     = "key"
	ScopeAccount = "account"
)

// Set holds the limits of a key or an account. Zero means no limit.
type Set struct {
	RequestsPerMinute, TokensPerMinute, Concurrent, NanoUSDPerDay, NanoUSDPerMonth int64
}

// Caller identifies the key and the account of a request and their limits. The
// Limiter does not retain it.
type Caller struct {
	AccountID, KeyID string
	Account, Key     Set
}

// Status is the state of one limit, for response headers.
type Status struct {
	Scope, Name      string
	Limit, Remaining int64
	// Reset is the time until the whole limit is available again.
	Reset time.Duration
}

// Counters are shared by all proxies. A call that fails may have taken effect.
// Implementations are safe for concurrent use.
type Counters interface {
	// Exchange applies all updates in one round trip. The grants have the
	// indexes of their updates.
	Exchange(ctx context.Context, rates []RateUpdate, holds []HoldUpdate) ([]RateGrant, []HoldGrant, error)
	// CountProxies returns how many proxies were seen within a duration. join
	// registers this proxy and includes it. known reports whether it was
	// registered before; if it should have been, the counters have lost all data.
	CountProxies(ctx context.Context, within time.Duration, join bool) (n int, known bool, err error)
}

// CounterID identifies a shared counter.
type CounterID struct {
	// AccountID groups the counters that are used together. ID is the id of the
	// key or of the account, depending on Scope.
	AccountID, Scope, ID, Name string
}

// RateUpdate takes units of a limit per minute. Granted units count as used.
type RateUpdate struct {
	CounterID
	Limit int64
	// Between Min and Max units are granted, or none.
	Min, Max int64
	// Returned counts granted units that were not used. Debit counts units that
	// were used without a grant.
	Returned, Debit int64
	// LastUsed is the used part of the minute as this proxy last saw it, less the
	// time since. It replaces the value of a counter that was lost.
	LastUsed time.Duration
}

// RateGrant is the response to a RateUpdate.
type RateGrant struct {
	Units int64
	// Used is the used part of the minute's units, as the time until they are
	// available again.
	Used time.Duration
}

// HoldUpdate reports what this proxy has spent and holds of a limit, in absolute
// figures, and requests more. Repeated and late updates do no harm.
type HoldUpdate struct {
	CounterID
	// Period is the UTC day or month. It is empty for slots.
	Period string
	Limit  int64
	// Sequence grows with every update of a proxy. Older updates are ignored.
	Sequence int64
	// Spent is what this proxy has spent in the period. StoredSpent is what all
	// proxies have spent according to the stored records.
	Spent, StoredSpent int64
	// Reserved is held for running requests and always granted. Need is granted
	// whole, or partly if the available amount is at least Min. After that, up
	// to Spare is granted, but at most 1/SpareDivisor of what is then free.
	Reserved, Min, Need, Spare, SpareDivisor int64
	// HoldTTL is the lifetime of the hold, CounterTTL the lifetime of the counter.
	HoldTTL, CounterTTL time.Duration
}

// HoldGrant is the response to a HoldUpdate.
type HoldGrant struct {
	// Held is what this proxy holds now. Free is held by no proxy. TotalSpent is
	// what all proxies have spent.
	Held, Free, TotalSpent int64
}
