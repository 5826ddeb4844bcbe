// Package book compares three books of the same traffic: what the clients saw,
// what the providers did, and what the ledger holds. The comparison is pure: it
// asks nobody, trusts no figure of the ledger and works money out for itself.
// It is for the suites that load or break the system, and knows neither how the
// books were written nor how the system works inside.
package book

import "time"

// Request is a line of the clients' book.
type Request struct {
	// Mark is the client's own name of the request; it travels in the prompt
	// and as the client's request id.
	Mark string
	// ID is what the answer's headers called it; empty when none came.
	ID string
	// Model is what was asked for.
	Model  string
	Stream bool
	// Want is the status that it must be answered with.
	Want int
	// Status is the one that came, 0 when none did.
	Status int
	// Whole is whether the answer came to its end: [DONE], or all of the body.
	Whole bool
	// Left is whether the client went away on purpose.
	Left bool
	// Told is what the answer's headers said that it cost, in nano-USD; nil when
	// they did not.
	Told  *int64
	Err   string
	Bytes int
	// Events is how many of a stream it had read when it left.
	Events int
	Began  time.Time
	Ended  time.Time
}

// Call is a line of the providers' book.
type Call struct {
	Mark string
	// Provider and Model are by the names of the policy.
	Provider, Model string
	Status          int
	// Reported are the usages that it told, in order: each includes the ones
	// before.
	Reported []Usage
	// Events is of each of these with which event of a stream it was told, from
	// 1. Without, each was told before anything reached the client.
	Events []int
	// Finished is whether the answer was written to its end.
	Finished bool
}

// Row is a line of the ledger.
type Row struct {
	ID string
	// Mark is filled for rows whose ID no client knows.
	Mark      string
	Model     string
	Outcome   string
	Status    int
	Tokens    Usage
	Estimated bool
	// Cost, Baseline and Kept are nano-USD, nil when unpriced.
	Cost, Baseline, Kept *int64
	BaselineModel        string
	Attempts             []Attempt
}

// Attempt is what the ledger holds of a call.
type Attempt struct {
	Provider, Model string
	Status          int
	Cost            *int64
	// Tokens are nil where the ledger does not tell them.
	Tokens *Usage
}

// Sums are what the ledger says of many rows together.
type Sums struct {
	Requests, Unpriced     int64
	Routed, Baseline, Kept int64
	// Received is how many records arrived, DeadLetters how many of these could
	// not be read, and Incomplete how many are known of and have not arrived.
	Received, DeadLetters, Incomplete int64
}

// Window is a time in which clients had nobody to talk to, or lost whom they
// talked to.
type Window struct{ From, To time.Time }

// Books are all that is known of one run.
type Books struct {
	Requests []Request
	Calls    []Call
	Rows     []Row
	// Sums are of exactly these rows; nil when they were not asked for.
	Sums   *Sums
	Prices map[string]Price
	// Baselines has the baseline of every name that can be asked for.
	Baselines map[string]string
	// Down are the windows in which a failure is nobody's fault.
	Down []Window
}

// excused tells whether a request overlaps a window.
func (b *Books) excused(r *Request) bool {
	for _, w := range b.Down {
		if !r.Began.After(w.To) && !r.Ended.Before(w.From) {
			return true
		}
	}
	return false
}
