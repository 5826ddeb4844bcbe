// Package limits admits requests by what their key and account may use:
// requests and tokens a minute, requests at the same time, money a UTC day and
// month. What is asked for on the request path is in hand as a rule: leases
// and holds of counters that all proxies share. While these are away, or where
// there are none because this is the only proxy, it counts by itself. It knows
// neither Redis nor HTTP; the edge asks it, package counters keeps the shared
// counters.
package limits

import (
	"context"
	"time"
)

// Names of the limits, as clients and records have them.
const (
	RequestsPerMinute  = "requests_per_minute"
	TokensPerMinute    = "tokens_per_minute"
	ConcurrentRequests = "concurrent_requests"
	NanoUSDPerDay      = "nano_usd_per_day"
	NanoUSDPerMonth    = "nano_usd_per_month"
)

// Whose limit it is.
const (
	ScopeKey     = "key"
	ScopeAccount = "account"
)

// Set is what a key or an account may use; 0 is no limit.
type Set struct {
	RequestsPerMinute, TokensPerMinute, Concurrent, NanoUSDPerDay, NanoUSDPerMonth int64
}

// Caller is who a request comes from. Keeper reads it and does not keep it.
type Caller struct {
	AccountID, KeyID string
	Account, Key     Set
}

// Meter is the state of one limit, for the headers of an answer.
type Meter struct {
	Scope, Name      string
	Limit, Remaining int64
	// Reset is when all of the limit is there again.
	Reset time.Duration
}

// Counters are shared by all proxies. A call that fails may have been done.
// They are safe for concurrent use.
type Counters interface {
	// Exchange answers every ask at its index, in one round trip.
	Exchange(ctx context.Context, rates []RateAsk, holds []HoldAsk) ([]RateGrant, []HoldGrant, error)
	// Proxies returns how many were heard of within a time. join says that this
	// one lives, and counts it; known is whether the counters knew it: if not,
	// they have lost everything.
	Proxies(ctx context.Context, within time.Duration, join bool) (n int, known bool, err error)
}

// Subject names a shared counter: whose it is and of what.
type Subject struct {
	// AccountID groups the counters that are used together; ID is that of the
	// key or again of the account.
	AccountID, Scope, ID, Name string
}

// RateAsk asks for units of a limit per minute. They are spent when granted.
type RateAsk struct {
	Subject
	Limit int64
	// Between Least and Want units are granted, or none.
	Least, Want int64
	// Back are granted units that were not used, Debit units that were used
	// without a grant.
	Back, Debit int64
	// Seen is how much of a minute was used up when this proxy last looked,
	// less what passed since: it stands in for counters that were lost.
	Seen time.Duration
}

// RateGrant answers a RateAsk.
type RateGrant struct {
	Units int64
	// Used is how much of a minute's units are used up, as the time in which
	// they come back.
	Used time.Duration
}

// HoldAsk tells what this proxy has spent and holds of a limit, in absolute
// figures, and asks for more. It may be repeated or come late.
type HoldAsk struct {
	Subject
	// Period is the UTC day or month; empty for places.
	Period string
	Limit  int64
	// Number grows with every ask of a proxy: an older one is ignored.
	Number int64
	// Settled is what this proxy has spent in the period so far, Stored what
	// all have by the ledger's account.
	Settled, Stored int64
	// Used is held for running requests and granted in any case. Need is
	// granted whole, or as much of it as there is if that is at least Least;
	// then up to Spare if there is more, and no more than SparePart of it.
	Used, Least, Need, Spare, SparePart int64
	// TTL is how long the hold lasts, Keep how long the counter does.
	TTL, Keep time.Duration
}

// HoldGrant answers a HoldAsk.
type HoldGrant struct {
	// Held is what this proxy holds now, Free what nobody does, Spent what
	// all proxies have spent.
	Held, Free, Spent int64
}
