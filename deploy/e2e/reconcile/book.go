// Package reconcile compares three views of the same traffic: what the clients saw,
// what the providers did, and what the ledger holds. Compare is a pure function. It
// computes all costs itself and does not trust the amounts in the ledger. It does not
// depend on how the data was collected. The load and fault suites use it.
package reconcile

import (
	"slices"
	"time"
)

// Request is what a client saw of one request.
type Request struct {
	// Mark is the client's label of the request. It is part of the prompt and is
	// sent as the client's request id.
	Mark string
	// ID is the request id in the response headers. It is empty if none arrived.
	ID string
	// Model is the requested model.
	Model  string
	Stream bool
	// Want is the expected status.
	Want int
	// Status is the received status; 0 when none arrived.
	Status int
	// Complete is set when the response ended properly: [DONE], or the full body.
	Complete bool
	// Left is set when the client disconnected on purpose.
	Left bool
	// ReportedCost is the cost in the response headers, in nano-USD; nil when they
	// have none.
	ReportedCost *int64
	Err          string
	// Unexpected is the beginning of a body whose status is not Want.
	Unexpected string
	Bytes      int
	// Events is the number of stream events read before the client left.
	Events int
	Began  time.Time
	Ended  time.Time
}

// Call is a call that a provider received.
type Call struct {
	Mark string
	// Provider and Model are names of the policy.
	Provider, Model string
	Status          int
	// Reported lists the usages that the provider reported, in order. Each one
	// includes the previous ones.
	Reported []Usage
	// Events holds, for each entry of Reported, the number of the stream event that
	// contained it, starting at 1. If it is empty, all usages were reported before
	// the client received anything.
	Events []int
	// Finished is set when the provider wrote the complete response.
	Finished bool
}

// Row is a record of the ledger.
type Row struct {
	ID string
	// Mark is set for rows whose ID no client received, such as rows of aborted requests.
	Mark      string
	Model     string
	Outcome   string
	Status    int
	Tokens    Usage
	Estimated bool
	// Cost, Baseline and Saved are in nano-USD; nil when unpriced.
	Cost, Baseline, Saved *int64
	BaselineModel         string
	Attempts              []Attempt
}

// Attempt is one attempt of a record in the ledger.
type Attempt struct {
	Provider, Model string
	Status          int
	Cost            *int64
	// Tokens is nil when the ledger does not have them.
	Tokens *Usage
}

// Sums are the totals that the ledger reports.
type Sums struct {
	Requests, Unpriced      int64
	Routed, Baseline, Saved int64
	// Received is the number of records that arrived at the ledger.
	Received int64
	// DeadLetters is the number of received records that the ledger could not read.
	DeadLetters int64
	// Incomplete is the number of records that exist but have not arrived at the ledger.
	Incomplete int64
}

// Outage is a period in which clients could not connect or lost their connection.
type Outage struct {
	From, To time.Time
	// Drains means that a process shut down gracefully. It may reject new requests with 503
	// and interrupt running ones when its drain limit is reached.
	Drains bool
	// Balanced means that a balancer answers 503 in place of a process that is gone. A request
	// that the process had begun then has a record of its own fate.
	Balanced bool
}

// Books holds the data of one run.
type Books struct {
	Requests []Request
	Calls    []Call
	Rows     []Row
	// Sums are the totals of exactly these rows; nil when they were not read.
	Sums   *Sums
	Prices map[string]Price
	// Baselines maps every name that can be requested to its baseline model.
	Baselines map[string]string
	// Outages are the periods in which failed requests are expected.
	Outages []Outage
}

// overlapsOutage reports whether a request overlaps an outage.
func (b *Books) overlapsOutage(r *Request) bool {
	return slices.ContainsFunc(b.Outages, func(o Outage) bool { return o.overlaps(r) })
}

// overlapsBalanced reports whether a balancer may have answered a request.
func (b *Books) overlapsBalanced(r *Request) bool {
	return slices.ContainsFunc(b.Outages, func(o Outage) bool { return o.Balanced && o.overlaps(r) })
}

// mayBeUnavailable reports whether the status of a request may be 503.
func (b *Books) mayBeUnavailable(r *Request) bool {
	return r.Status == unavailable && (b.overlapsDrain(r) || b.overlapsBalanced(r))
}

// overlapsDrain reports whether a request overlaps a graceful shutdown.
func (b *Books) overlapsDrain(r *Request) bool {
	return slices.ContainsFunc(b.Outages, func(o Outage) bool { return o.Drains && o.overlaps(r) })
}

func (o Outage) overlaps(r *Request) bool { return !r.Began.After(o.To) && !r.Ended.Before(o.From) }
